"""Plan a stack offline: `bedplate plan ENV [--out DIR] [--json]`; `bedplate job FILE --stack ENV` renders a job."""

import argparse
import gc
import os
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bedplate import usage
from bedplate.folders import PACKAGE
from bedplate.progress import progress
from bedplate.wrong import WRONG, WrongError

from .capture import captured
from .errors import UNWRITABLE
from .graph import Graph
from .target import target

CLEAN, FAILED, INTERRUPTED = 0, 1, 130


def main(arguments: list[str] | None = None) -> int:
    """Plan, show, and say by the exit status how it went."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["job"]:
        from . import job  # noqa: PLC0415 - the other command

        rest = words[2:] if words[1:2] == ["render"] else words[1:]
        action, options = job.run, usage.stated(__file__, "job render").parse_args(rest)
    else:
        action, options = _plan, usage.stated(__file__, "plan").parse_args(words)
    try:
        return action(options)
    except WrongError as error:
        sys.stderr.write(f"{error}\n")
        return WRONG
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever reads along has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLEAN
    except Exception as error:
        if isinstance(error, OSError) and error.errno in UNWRITABLE:
            raise
        _explain(error, whole=options.traceback)
        return FAILED


def _plan(options: argparse.Namespace) -> int:
    """Each way of showing imports what it needs: a plan that nobody prints costs nothing to print."""
    from . import difference, output  # noqa: PLC0415
    from .summary import summary  # noqa: PLC0415

    chosen = target(options.stack, options.profile, options.project, "bedplate plan ENV")
    if options.out:
        output.check(options.out)
    if options.emit:
        from .emit import emission  # noqa: PLC0415

        emission.check(options.emit, repository=options.repository, written=bool(options.out))
    change: dict[str, Any] = {"diff": difference.read(options.diff)} if options.diff else {}
    with progress(f"Planning {chosen.stack}"):
        graph = captured(chosen.project, chosen.stack)
        brief = summary(graph) | change
        if options.out:
            output.write(options.out, graph, brief, _emitted(options, graph))
    _show(options, graph, brief)
    return FAILED if any(verdict["severity"] == "mandatory" for verdict in brief["verdicts"]) else CLEAN


def _emitted(options: argparse.Namespace, graph: Graph) -> Mapping[str, str]:
    """The files of a controller; what it has no equal for is told."""
    if not options.emit:
        return {}
    from .emit.emission import emission  # noqa: PLC0415 - a plan that is emitted for nobody pays nothing for it
    from .emit.place import Place  # noqa: PLC0415

    place = Place(options.repository, options.revision, options.path, options.image)
    emitted = emission(graph, options.emit, place)
    sys.stderr.writelines(f"lost: {line}\n" for line in emitted.lost)
    return emitted.files


def _show(options: argparse.Namespace, graph: Graph, brief: Mapping[str, Any]) -> None:
    from . import show  # noqa: PLC0415

    if options.json or options.format == "json":
        show.print_json(brief)
    elif options.format == "markdown":
        from .markdown import markdown  # noqa: PLC0415

        sys.stdout.write(markdown(brief))
    else:
        show.print_tree(graph, brief)
        if options.out:
            show.print_place(options.out)


def _explain(error: Exception, *, whole: bool) -> None:
    if whole:
        traceback.print_exception(error)
        return
    ours = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_ours(frame.filename)]
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}: " if ours else ""
    text = " ".join(str(error).split()) or "no message"
    sys.stderr.write(f"{place}{type(error).__name__}: {text} (--traceback shows the whole way there)\n")


def _is_ours(file: str) -> bool:
    path = Path(file)
    foreign = "site-packages" in path.parts and not path.is_relative_to(PACKAGE)
    return not foreign and path.parent != Path(__file__).parent and path.is_absolute()


if __name__ == "__main__":
    # A plan only builds up and then ends: collections over ever more live objects took a quarter of its time.
    gc.disable()
    sys.exit(main())
