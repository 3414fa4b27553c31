"""`bedplate size train|serve|cluster`: figures as a table with their arithmetic, or as JSON."""

import argparse
import sys
from typing import TYPE_CHECKING

from bedplate import usage
from bedplate.answer import answer
from bedplate.sizing.figures import Figure, ImpossibleError
from bedplate.wrong import refusing

if TYPE_CHECKING:
    from bedplate.components.facts import Facts
    from bedplate.sizing.place import Place

FITS = 0


@refusing
def main(arguments: list[str] | None = None) -> int:
    """Compute, show, and say by the exit status whether it can be."""
    options = usage.stated(__file__, "size").parse_args(arguments)
    figures = _figures(options)
    if options.json:
        answer("Sizes", {"figures": [figure.as_json() for figure in figures]})
    else:
        from bedplate.sizing.show import show  # noqa: PLC0415 - machines do not pay for it

        show(figures)
    return FITS


def _figures(options: argparse.Namespace) -> list[Figure]:
    match options.command:
        case "train":
            return _train(options)
        case "serve":
            return _serve(options)
        case _:
            from bedplate.sizing import cluster  # noqa: PLC0415 - each command imports its own

            if not options.stack:
                raise ImpossibleError(["size cluster: name a stack: --stack ENV"])
            return cluster.size(_facts(options.stack), options.oversubscription)


def _train(options: argparse.Namespace) -> list[Figure]:
    from bedplate.sizing import train  # noqa: PLC0415
    from bedplate.sizing.memory import Work  # noqa: PLC0415
    from bedplate.sizing.model import known, trained, unknown  # noqa: PLC0415
    from bedplate.sizing.spread import Spread, over  # noqa: PLC0415

    model = trained(options.model)
    if model is None:
        raise ImpossibleError([unknown(options.model, known())])
    place = _place(options)
    cut = Spread(1, options.tp, options.pp, options.cp, options.ep, options.zero)
    run = train.Run(
        model,
        place,
        over(place, cut),
        Work(options.sequence, options.micro_batch, recompute=not options.keep_activations),
        options.accumulate,
        tokens=options.tokens,
        precision=options.precision,
        mfu=options.mfu,
        known_batch=options.known_batch,
        write_gbs=options.write_gbs,
        stall=options.stall,
        hours_to_failure=options.mtti,
        keep=options.keep,
        price=options.price,
    )
    return train.size(run)


def _serve(options: argparse.Namespace) -> list[Figure]:
    from bedplate.sizing import serve  # noqa: PLC0415
    from bedplate.sizing.server import server  # noqa: PLC0415

    place = _place(options)
    vllm = server(options, place.gpus_per_node)
    assert vllm.facts is not None  # noqa: S101 - `server` refuses unknown models
    return serve.size(serve.Server(vllm, vllm.facts, place, read_gbs=options.read_gbs, concurrency=options.concurrency))


def _place(options: argparse.Namespace) -> "Place":
    from bedplate.sizing.place import of_shape, of_stack  # noqa: PLC0415

    if bool(options.stack) == bool(options.shape):
        raise ImpossibleError(["where: name either a stack (--stack ENV) or a shape (--shape dgx-h100 --nodes 8)"])
    if options.shape and options.pool:
        raise ImpossibleError(
            [f"--pool {options.pool}: a shape has no pools; remove it, or name a stack (--stack ENV)"]
        )
    if options.shape:
        return of_shape(options.shape, options.nodes or 1)
    return of_stack(_facts(options.stack), options.pool, options.nodes)


def _facts(stack: str) -> "Facts":
    from bedplate.stacks.facts.derive import facts  # noqa: PLC0415
    from bedplate.stacks.load import load_named  # noqa: PLC0415

    return facts(load_named(stack))


if __name__ == "__main__":
    sys.exit(main())
