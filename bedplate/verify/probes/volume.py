"""How fast one node writes to a shared volume and reads from it, several streams at once, past the page cache.

Prints `write X GB/s` where it may write, and `read X GB/s`. What it wrote it takes away again. A volume that may only
be read is measured by the largest files that it has.
"""

import argparse
import mmap
import os
import pathlib
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

BLOCK = 16 * 2**20
STREAMS = 8


def write(path: pathlib.Path, size: int) -> int:
    """Bytes that have reached the storage."""
    block, done = os.urandom(BLOCK), 0
    with path.open("wb", buffering=0) as file:
        while done < size:
            done += file.write(block[: size - done])
        os.fsync(file.fileno())
    return done


def read(path: pathlib.Path, size: int) -> int:
    """Bytes read, from the storage itself where the file system can (O_DIRECT)."""
    flags = os.O_RDONLY | getattr(os, "O_DIRECT", 0)
    try:
        file = os.open(path, flags)
    except OSError:  # a file system without it
        file = os.open(path, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    buffer, done = mmap.mmap(-1, BLOCK), 0  # page-aligned, as O_DIRECT wants it
    try:
        while done < size and (count := os.readv(file, [buffer])):
            done += count
    finally:
        os.close(file)
    return done


def rate(work: Callable[[pathlib.Path, int], int], files: Sequence[pathlib.Path], size: int) -> float:
    """GB/s of all streams together."""
    start = time.perf_counter()
    with ThreadPoolExecutor(STREAMS) as streams:
        done = sum(streams.map(work, files, [size] * len(files)))
    return done / (time.perf_counter() - start) / 1e9


def largest(folder: pathlib.Path) -> list[pathlib.Path]:
    """The largest files that can be found quickly."""
    files: list[tuple[int, pathlib.Path]] = []
    for place, _, names in os.walk(folder):
        files += [(path.stat().st_size, path) for path in (pathlib.Path(place) / name for name in names)]
        if len(files) > 10 * STREAMS:
            break
    return [path for size, path in sorted(files, reverse=True)[:STREAMS] if size >= BLOCK]


def main() -> int:
    """Measure, and say so."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--size", type=int, required=True, help="bytes of each stream")
    parser.add_argument("--read-only", action="store_true")
    options = parser.parse_args()
    if options.read_only:
        files = largest(options.folder)
        if not files:
            sys.stdout.write(f"nothing of {BLOCK} bytes or more to read in {options.folder}\n")
            return 0
        sys.stdout.write(f"read {rate(read, files, options.size):.2f} GB/s\n")
        return 0
    files = [options.folder / f".bedplate-verify-{os.uname().nodename}-{number}" for number in range(STREAMS)]
    try:
        sys.stdout.write(f"write {rate(write, files, options.size):.2f} GB/s\n")
        sys.stdout.write(f"read {rate(read, files, options.size):.2f} GB/s\n")
    finally:
        for path in files:
            path.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
