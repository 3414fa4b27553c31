"""The command's words, and what they stand for."""

import argparse
from collections.abc import Callable

from bedplate import usage


def parser() -> argparse.ArgumentParser:
    """`size train MODEL`, `size serve MODEL`, `size cluster`."""
    parser = usage.parser("size", "Say how large it must be, and show why.")
    commands = parser.add_subparsers(dest="command", required=True)
    _train(commands.add_parser("train", help="memory, batch, days, network and checkpoints of a training run"))
    _serve(commands.add_parser("serve", help="memory, cache, replicas and start of a server"))
    _cluster(commands.add_parser("cluster", help="addresses, interfaces, ports and quotas of a stack"))
    return parser


def _place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stack", "--profile", metavar="ENV", help="a stack of this project, or a file with a profile")
    parser.add_argument("--pool", metavar="POOL", help="its pool; not needed where one pool has GPUs")
    parser.add_argument("--shape", metavar="SHAPE", help="instead of a stack: nodes of this shape, such as dgx-h100")
    parser.add_argument("--nodes", metavar="N", type=_count, help="how many; of a stack's pool: instead of its own")
    usage.for_machines(parser, "the figures")


def _cluster(parser: argparse.ArgumentParser) -> None:
    _place(parser)
    what = "downlinks of a leaf switch for each uplink; training wants 1"
    parser.add_argument("--oversubscription", metavar="N", type=_ratio, default=1.0, help=what)


def _train(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="such as llama-70b")
    _place(parser)
    for name, what in (("tp", "tensor"), ("pp", "pipeline"), ("cp", "context"), ("ep", "expert")):
        parser.add_argument(f"--{name}", metavar="N", type=_count, default=1, help=f"{what} parallelism")
    parser.add_argument("--zero", type=int, choices=range(4), default=3, help="ZeRO's stage; 3 is FSDP's full shard")
    parser.add_argument("--sequence", metavar="TOKENS", type=_count, default=8192)
    parser.add_argument("--micro-batch", metavar="N", type=_count, default=1)
    parser.add_argument("--accumulate", metavar="N", type=_count, default=1)
    parser.add_argument("--keep-activations", action="store_true", help="do not recompute them")
    parser.add_argument("--tokens", metavar="N", type=_positive, default=0.0, help="to train on, such as 15e12")
    what = "of the matrix products; fp8 is scaled by tensor, the others by blocks"
    parser.add_argument("--precision", choices=("bf16", "fp8", "mxfp8", "mxfp4", "nvfp4"), default="bf16", help=what)
    what = "of the peak; not said: as much as the published run that is most like it"
    parser.add_argument("--mfu", metavar="PART", type=_part, default=0.0, help=what)
    parser.add_argument("--known-batch", metavar="N", type=_count, default=0, help="one with a known learning rate")
    parser.add_argument("--write-gbs", metavar="GB/S", type=_positive, help="what the checkpoints' storage takes")
    parser.add_argument("--stall", metavar="S", type=_positive, default=60.0, help="seconds a checkpoint may take")
    parser.add_argument("--mtti", metavar="H", type=_positive, default=0.0, help="hours between failures, measured")
    parser.add_argument("--keep", metavar="N", type=_count, default=3, help="checkpoints to keep")
    parser.add_argument("--price", metavar="$", type=_positive, default=0.0, help="of a GPU and hour")


def _serve(parser: argparse.ArgumentParser) -> None:
    what = "such as llama-70b, or a YAML file with the facts that a profile gives below `model:`"
    parser.add_argument("model", metavar="MODEL", help=what)
    _place(parser)
    parser.add_argument("--tp", metavar="N", type=_count, default=1, help="tensor parallelism")
    parser.add_argument("--pp", metavar="N", type=_count, default=1, help="pipeline parallelism, across nodes")
    parser.add_argument("--dp", metavar="N", type=_count, default=1, help="copies in a node that share the experts")
    parser.add_argument("--ep", action="store_true", help="whole experts on each GPU")
    parser.add_argument("--precision", choices=("bf16", "fp8", "int4", "fp4"), default="bf16")
    parser.add_argument("--longest", metavar="TOKENS", type=_count, help="of one sequence (8192, or the model's own)")
    what = "of a GPU's memory that a server takes (vLLM's --gpu-memory-utilization)"
    parser.add_argument("--utilisation", metavar="PART", type=_part, default=0.9, help=what)
    what = "at once in a step (vLLM's --max-num-seqs): fewer leave more memory to the cache"
    parser.add_argument("--sequences", metavar="N", type=_count, help=what)
    parser.add_argument("--concurrency", metavar="N", type=_count, default=0, help="sequences at once")
    parser.add_argument("--read-gbs", metavar="GB/S", type=_positive, help="what the weights' storage gives")


def _bounded(name: str, convert: Callable[[str], float], within: Callable[[float], bool]) -> Callable[[str], float]:
    def value(text: str) -> float:
        number = convert(text)
        if not within(number):
            raise ValueError
        return number

    value.__name__ = name  # argparse names it in its message
    return value


def _count(text: str) -> int:
    """A whole number from 1 on."""
    if (number := int(text)) < 1:
        raise ValueError
    return number


_count.__name__ = "number from 1 on"
_positive = _bounded("number above 0", float, lambda number: 0 < number < float("inf"))
_ratio = _bounded("number from 1 on", float, lambda number: 1 <= number < float("inf"))
_part = _bounded("part between 0 and 1", float, lambda number: 0 < number <= 1)
