#!/bin/sh
# What this machine is, as `bedplate inspect` reads it: sh collect.sh > NAME.node
#
# It reads /sys and /proc, asks nvidia-smi and lspci where they are, changes nothing and needs no network. Run it as
# root: without, nobody may read the ACS bits. MAC addresses, serial numbers and processes are not recorded.
LC_ALL=C R=${BEDPLATE_ROOT:-}
export LC_ALL

cells() { # the first line of each file behind a bar, empty where there is none, or the kernel does not answer
  for file; do
    line=
    { read -r line <"$file"; } 2>/dev/null
    printf '|%s' "$line"
  done
}
link() { # the same of a link: the name of what it leads to
  target=
  [ ! -L "$1" ] || target=$(readlink "$1")
  printf '|%s' "${target##*/}"
}
ask() { # a program that may hang with a broken GPU
  if ! command -v "$1" >/dev/null 2>&1; then echo "missing: $1"; return; fi
  if command -v timeout >/dev/null 2>&1; then timeout 120 "$@" 2>&1; else "$@" 2>&1; fi
}
smi() { # the host's own, or that of the GPU Operator's driver container
  inside=$R/run/nvidia/driver
  if ! command -v nvidia-smi >/dev/null 2>&1 && [ -x "$inside/usr/bin/nvidia-smi" ]; then
    ask chroot "$inside" nvidia-smi "$@"
  else
    ask nvidia-smi "$@"
  fi
}
above() { # bonds, bridges and VLANs over an interface, each followed by what is over it
  for upper in "$R/sys/class/net/$1"/upper_*; do
    [ -e "$upper" ] || continue
    set -- "$1" "${upper##*/upper_}"
    printf '%s ' "$2"
    above "$2"
  done
}

said() { # a row of a name and such cells
  printf '%s' "$1"
  shift
  cells "$@"
  echo
}

host() {
  id= version=
  while IFS='=' read -r key value; do
    value=${value#\"} value=${value%\"}
    case $key in ID) id=$value ;; VERSION_ID) version=$value ;; esac
  done <"$R/etc/os-release"
  echo "name|$(uname -n)"
  echo "kernel|$(uname -r)"
  echo "arch|$(uname -m)"
  echo "os|$id|$version"
  said machine "$R/sys/class/dmi/id/sys_vendor" "$R/sys/class/dmi/id/product_name"
  said bios "$R/sys/class/dmi/id/bios_version"
  said cpus "$R/sys/devices/system/cpu/online"
  echo "iommu|$(tr ' ' '\n' <"$R/proc/cmdline" | grep iommu | tr '\n' ' ')"
  said nvidia "$R/proc/driver/nvidia/version"
  [ ! -d "$R/run/nvidia/driver/usr" ] || echo "container|driver"
  [ ! -d "$R/run/mellanox/drivers" ] || echo "container|ofed"
  for module in mlx5_core mlx5_ib ib_ipoib ib_umad nvidia_peermem; do
    [ ! -d "$R/sys/module/$module" ] || said "module|$module" "$R/sys/module/$module/version"
  done
  for pages in "$R"/sys/kernel/mm/hugepages/hugepages-*; do
    [ ! -d "$pages" ] || said "hugepages|${pages##*-}" "$pages/nr_hugepages"
  done
  for node in "$R"/sys/devices/system/node/node[0-9]*; do
    [ -d "$node" ] || continue
    said "numa|${node##*/node}" "$node/cpulist" | tr '\n' '|'
    awk '/MemTotal/ {print $4}' "$node/meminfo"
  done
  # The pod's own routes stand in /proc/net; those of the machine in its first process's.
  routes=$R/proc/1/net/route
  [ -r "$routes" ] || routes=$R/proc/net/route
  awk '$2 == "00000000" {print "default|" $1}' "$routes" 2>/dev/null
  awk '$1 ~ /^0+$/ && $2 == "00" && $NF != "lo" {print "default|" $NF}' "${routes%route}ipv6_route" 2>/dev/null
}
pci() {
  for place in "$R"/sys/bus/pci/devices/*; do
    class= vendor=
    { read -r class <"$place/class" && read -r vendor <"$place/vendor"; } 2>/dev/null
    case $vendor$class in 0x10de0x03* | *0x02*) ;; *) continue ;; esac
    path=$(cd -P "$place" && pwd -P)
    printf '%s|%s' "${place##*/}" "${path#"$R/sys/devices/"}"
    cells "$place/vendor" "$place/device" "$place/class" "$place/numa_node"
    link "$place/driver"
    cells "$place/iommu_group/type" "$place/sriov_totalvfs" "$place/sriov_numvfs"
    link "$place/physfn"
    echo
  done
}
rdma() {
  for port in "$R"/sys/class/infiniband/*/ports/*; do
    [ -d "$port" ] || continue
    device=${port%/ports/*}
    printf '%s' "${device##*/}"
    link "$device/device"
    printf '|%s' "${port##*/}"
    cells "$device/fw_ver" "$device/hca_type" "$device/board_id" "$port/state" "$port/rate" "$port/link_layer"
    echo
  done
}
net() {
  for interface in "$R"/sys/class/net/*; do
    [ -e "$interface/device" ] || continue
    printf '%s' "${interface##*/}"
    link "$interface/device"
    cells "$interface/mtu" "$interface/operstate"
    echo "|$(above "${interface##*/}")"
  done
}
acs() {
  if [ -z "$R" ] && [ "$(id -u)" != 0 ]; then echo "missing: root"; return; fi
  ask lspci -D -vvv | awk '/^missing: /; /^[0-9a-f]+:/ {address = $1} /ACSCtl:/ {sub(/.*ACSCtl:[ \t]*/, ""); print address "|" $0}'
}
everything() {
  echo "== bedplate node 1"
  for section in host pci rdma net acs; do echo "== $section"; $section; done
  echo "== gpus"
  smi --query-gpu=index,pci.bus_id,name,memory.total,driver_version,mig.mode.current --format=csv,noheader,nounits
  echo "== topology"
  smi topo -m
  echo "== end"
}
everything | tr -d '\000-\010\013-\037\177'
