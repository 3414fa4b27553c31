#!/bin/bash
set -euo pipefail
nvidia-ctk config --in-place --set accept-nvidia-visible-devices-envvar-when-unprivileged=false \
  --set accept-nvidia-visible-devices-as-volume-mounts=false
