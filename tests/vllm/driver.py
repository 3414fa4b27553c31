"""A driver's library that has no device: what loads the engine's kernels on a machine without a GPU.

NVIDIA's toolkit has such a library to link against (`stubs/libcuda.so`); this one has the names that the installed
engine asks for, and answers each call with CUDA_ERROR_NO_DEVICE (cuda.h: 100).
"""

import re
import subprocess
from pathlib import Path

NAME = "libcuda.so.1"
CALL = re.compile(r" U (cu[A-Z]\w*)$", re.MULTILINE)


def built(environment: Path, folder: Path) -> Path:
    """The folder with the library for the engine of a virtual environment; needs `nm` and `cc`."""
    libraries = map(str, environment.glob("lib/python3*/site-packages/vllm/**/*.so"))
    names = subprocess.run(["nm", "-D", "--undefined-only", *libraries], capture_output=True, text=True, check=True)
    calls = "".join(f"int {call}(void) {{ return 100; }}\n" for call in sorted(set(CALL.findall(names.stdout))))
    words = ["cc", "-shared", "-fPIC", f"-Wl,-soname,{NAME}", "-x", "c", "-", "-o", str(folder / NAME)]
    subprocess.run(words, input=calls, text=True, check=True)
    return folder
