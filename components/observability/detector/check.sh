#!/bin/bash
# One look at a node, for Node Problem Detector: check.sh CHECK [ARGUMENT ...]
#
# It prints a line and exits with 0 (sound), 1 (a fault) or 2 (nobody can say), as a custom plugin does
# (kubernetes/node-problem-detector docs/custom_plugin_monitor.md). It changes nothing on the node. HOST is where the
# node's own root is mounted, DRIVER_DIR where the driver is if it is in no usual place (GKE).
LC_ALL=C HOST=${HOST:-/host} KEPT=${KEPT:-/tmp/bedplate}
export LC_ALL
shopt -s nullglob
NVIDIA=0x10de MELLANOX=0x15b3 HOUR=3600

sound() { echo "$1"; exit 0; }
unknown() { echo "$1"; exit 2; }
judged() { # FINE: the faults that were added, if any
  [[ -z $faults ]] || { echo "${faults%; }"; exit 1; }
  sound "$1"
}
add() { faults+="$1; "; }
content() { line=; { read -r line <"$1"; } 2>/dev/null; }

functions() { # VENDOR CLASS: PCI functions of a host's driver, and none that a virtual machine has
  devices=()
  for device in "$HOST"/sys/bus/pci/devices/*; do
    content "$device/vendor" && [[ $line == "$1" ]] || continue
    content "$device/class" && [[ $line == $2* ]] || continue
    [[ -e $device/physfn || $(readlink "$device/driver") == */vfio-pci ]] || devices+=("$device")
  done
}
gpus() { functions $NVIDIA 0x030; ((${#devices[@]})) || sound "no GPU here"; }

smi() { # nvidia-smi of the driver's container, or the host's own
  local root place
  for root in "$HOST/run/nvidia/driver" "$HOST"; do
    for place in "$DRIVER_DIR/bin" /usr/bin /usr/local/bin /opt/bin; do
      [[ -e $root$place/nvidia-smi || -L $root$place/nvidia-smi ]] || continue
      LD_LIBRARY_PATH=${DRIVER_DIR:+$DRIVER_DIR/lib64} timeout 30 chroot "$root" "$place/nvidia-smi" "$@" 2>&1
      return
    done
  done
  echo "no nvidia-smi on this node"
  return 127
}
rows() { # WORDS of nvidia-smi whose answer is read line by line, without it nobody can say
  answer=$(smi "$@" --format=csv,noheader,nounits) || unknown "nvidia-smi: ${answer:0:150}"
}

xid() { # CODES: Xid events of these, since the node booted or somebody ran `dmesg --clear` on it
  local log message
  declare -A last
  log=$(dmesg) || unknown "the kernel's log cannot be read"
  while read -r message; do
    [[ $message =~ NVRM:\ Xid\ \(PCI:([0-9a-fA-F:.]+)\):\ ($1), ]] && last[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
  done <<<"$log"
  for gpu in "${!last[@]}"; do add "Xid ${last[$gpu]} of $gpu"; done
  judged "no such Xid"
}

missing() { # fewer GPUs answer the driver than there are on the bus
  gpus
  [[ -e $HOST/proc/driver/nvidia/version ]] || unknown "the driver is not loaded"
  answer=$(smi -L)
  (($? == 127)) && unknown "$answer"
  there=$(grep -c '^GPU [0-9]' <<<"$answer")
  ((there >= ${#devices[@]})) || add "$there of ${#devices[@]} GPUs answer"
  judged "every GPU answers"
}

memory() { # uncorrectable errors since the driver was loaded; rows that wait for a reset, or cannot be replaced
  gpus
  local gpu errors pending failed
  rows --query-gpu=index,ecc.errors.uncorrected.volatile.total
  while IFS=', ' read -r gpu errors; do
    [[ $errors == [1-9]* ]] && add "GPU $gpu: $errors uncorrectable errors"
  done <<<"$answer"
  # GPUs before Ampere have no such rows, and nvidia-smi says so.
  if answer=$(smi --query-remapped-rows=gpu_bus_id,remapped_rows.pending,remapped_rows.failure --format=csv,noheader); then
    while IFS=', ' read -r gpu pending failed; do
      [[ $pending =~ ^(1|Yes)$ ]] && add "GPU $gpu: a row waits for a reset"
      [[ $failed =~ ^(1|Yes)$ ]] && add "GPU $gpu: no spare row is left"
    done <<<"$answer"
  fi
  judged "no uncorrectable error"
}

slowed() { # by heat or by the power supply; the older word is asked where the newer one is not known
  gpus
  local word asked gpu states
  for word in clocks_event_reasons clocks_throttle_reasons; do
    asked=index,$word.hw_slowdown,$word.hw_thermal_slowdown,$word.hw_power_brake_slowdown
    answer=$(smi "--query-gpu=$asked" --format=csv,noheader) && break
  done || unknown "nvidia-smi: ${answer:0:150}"
  while IFS=, read -r gpu states; do
    [[ ,${states// /} == *,Active* ]] && add "GPU $gpu is slowed by the hardware"
  done <<<"$answer"
  judged "no GPU is slowed"
}

nvlink() { # a GPU with fewer links than its neighbours; which links a board has differs
  gpus
  local gpu= most=0 text
  declare -A up
  answer=$(smi nvlink --status) || sound "no NVLink here"
  while read -r text; do
    [[ $text =~ ^GPU\ ([0-9]+): ]] && gpu=${BASH_REMATCH[1]} && up[$gpu]=0
    [[ $text =~ ^Link\ [0-9]+:\ [0-9] ]] && ((++up[$gpu] > most)) && most=${up[$gpu]}
  done <<<"$answer"
  for gpu in "${!up[@]}"; do ((up[$gpu] >= most)) || add "GPU $gpu: ${up[$gpu]} of $most links"; done
  judged "every GPU has as many links"
}

pcie() { # a GPU or NIC with fewer lanes than both it and its slot have
  local width most slot
  functions $NVIDIA 0x030
  local all=("${devices[@]}")
  functions $MELLANOX 0x02
  for device in "${all[@]}" "${devices[@]}"; do
    content "$device/current_link_width"; width=$line
    content "$device/max_link_width"; most=$line
    content "$(readlink -f "$device")/../max_link_width"; slot=$line
    [[ $width =~ ^[1-9][0-9]*$ && $most =~ ^[1-9][0-9]*$ ]] || continue
    [[ $slot =~ ^[1-9][0-9]*$ ]] && ((slot < most)) && most=$slot
    ((width >= most)) || add "${device##*/}: $width of $most lanes"
  done
  judged "every lane is there"
}

ports() { # HCAS: physical ports of the fabric that the node has now; one that a pod has is not seen
  found=()
  for device in "$HOST"/sys/class/infiniband/*; do
    [[ ${device##*/} =~ ^($1)$ && ! -e $device/device/physfn ]] && found+=("$device"/ports/*)
  done
}

down() { # HCAS: ports that are not active
  ports "$1"
  for port in "${found[@]}"; do
    content "$port/state"
    [[ $line == 4:* ]] || { name=${port#"$HOST"/sys/class/infiniband/}; add "${name/\/ports\// port }: ${line#*: }"; }
  done
  judged "every port is active"
}

flaps() { # HCAS MOST: ports that went down more often than that within an hour
  local now at count first kept
  mkdir -p "$KEPT"
  printf -v now '%(%s)T' -1
  ports "$1"
  for port in "${found[@]}"; do
    content "$port/counters/link_downed"
    [[ $line =~ ^[0-9]+$ ]] || continue
    count=$line name=${port#"$HOST"/sys/class/infiniband/} kept= first=
    while read -r at line; do
      ((at > now - HOUR && line <= count)) && kept+="$at $line"$'\n' first=${first:-$line}
    done < <(cat "$KEPT/${name//\//.}" 2>/dev/null)
    printf '%s%s %s\n' "$kept" "$now" "$count" >"$KEPT/${name//\//.}"
    ((count - ${first:-$count} <= $2)) || add "${name/\/ports\// port }: down $((count - first)) times in an hour"
  done
  judged "no port flaps"
}

case $1 in
  xid | missing | memory | slowed | nvlink | pcie | down | flaps) faults=; "$@" ;;
  *) unknown "no such check: $1" ;;
esac
