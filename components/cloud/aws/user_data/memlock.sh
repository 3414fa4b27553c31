#!/bin/bash
set -euo pipefail
mkdir -p /etc/systemd/system/containerd.service.d
printf '[Service]\nLimitMEMLOCK=infinity\n' > /etc/systemd/system/containerd.service.d/memlock.conf
systemctl daemon-reload
printf 'vm.nr_hugepages = {pages}\n' > /etc/sysctl.d/90-efa-hugepages.conf
sysctl --load /etc/sysctl.d/90-efa-hugepages.conf
