"""Which GPUs a pod sees that asked for none.

Prints `asks TEXT`, which is what its image asks the container runtime for, and `sees NAME NAME`, the GPUs below DEV.
"""

import os
import pathlib
import sys


def main(folder: str) -> None:
    """By the device of each GPU, as NVIDIA's runtime makes them: nvidia0, nvidia1; nvidiactl and the like are none."""
    names = [path.name for path in pathlib.Path(folder).glob("nvidia*")]
    gpus = sorted(name for name in names if name.removeprefix("nvidia").isdigit())
    sys.stdout.write(f"asks {os.environ.get('NVIDIA_VISIBLE_DEVICES') or 'nothing'}\nsees {' '.join(gpus)}\n")


if __name__ == "__main__":
    main(sys.argv[1])
