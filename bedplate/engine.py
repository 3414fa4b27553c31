"""The one way to a stack's cluster, for people and for CI: Pulumi's CLI behind a guard, with the policies.

The kubeconfig's context must be the profile's. A preview and an `up` are judged by the policy pack with the profile's
facts. In CI the kubeconfig is the text in KUBECONFIG_TEXT, and nothing is asked.
"""

import argparse
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bedplate.children import ERR, OUT, Children, Stopped
from bedplate.folders import INSTALLED, PACKAGE
from bedplate.last_words import LOGGED, SWITCH, last_words
from bedplate.leftovers import advice
from bedplate.prerequisites import lacking
from bedplate.protected import refused, rest
from bedplate.same_cluster import EMPTYING, another_cluster, exported
from bedplate.stacks.profile.named import named
from bedplate.stacks.profile.stack_file import StackFileError, StackFiles

if TYPE_CHECKING:
    from bedplate.preflight.beside import Beside

JUDGED = ("preview", "up")
WRONG = 2
PACK = "runtime: {{name: python, options: {{toolchain: pip, virtualenv: {environment}}}}}\n"
SERVE = "from bedplate.policies.pack import serve\n\nserve()\n"


def main(words: list[str]) -> int:
    """Guard, prepare, run; the exit status is the CLI's own."""
    called, *rest = words
    options, more = _parser(called).parse_known_args(rest)
    try:
        files, stack = _own(options.stack)
        with Children() as children, tempfile.TemporaryDirectory() as scratch:
            return _run(Run(options.command, stack, files, more, Path(scratch), children))
    except StackFileError as error:
        sys.stderr.write(f"{error}\n")
        return WRONG
    except Stopped as stop:
        return stop.status


@dataclass(frozen=True)
class Run:
    """One command of the user's on one stack."""

    command: str
    stack: str
    files: StackFiles
    more: list[str]
    """What is Pulumi's alone."""
    scratch: Path
    """Gone with the run: secrets may lie here."""
    children: Children

    def pulumi(self, words: list[str], out: int = OUT, *, terminal: bool = False) -> int:
        """Run Pulumi's CLI; after its own words, ours on what it left behind."""
        sys.stdout.flush()
        ended = self.children.run(words, self.files.root, out, terminal=terminal)
        said = advice(ended, words[1], self.command, self.stack)
        if ended.status and not said and not self.children.asked:
            said = last_words(self.log, words[1], self.stack, self.files.file(self.stack))
        if said:
            with contextlib.suppress(OSError):  # whoever reads along may be gone
                sys.stderr.write(said)
        return ended.status

    @property
    def log(self) -> Path:
        """The engine's events."""
        return self.scratch / "events.json"

    def logged(self) -> tuple[str, ...]:
        """Where Pulumi is asked to write them, by commands that can."""
        return ("--event-log", str(self.log)) if self.command in LOGGED else ()


def _own(name: str) -> tuple[StackFiles, str]:
    """A stack of the project that the user stands in: the engine keeps the state of no other."""
    stated, stack = named(name)
    files = StackFiles.here()
    if files.place(stack).resolve() != stated.place(stack).resolve():
        raise StackFileError(f"{name}: no stack of the project here; `bedplate init` makes a project")
    return files, stack


def _parser(called: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"bedplate {'down' if called == 'destroy' else called}",
        description=__doc__,
        epilog="What else is given goes to Pulumi: --diff, --yes, --refresh …",
    )
    if called == "pulumi":
        parser.add_argument("command", help="refresh, cancel or any other command of Pulumi")
    parser.set_defaults(command=called)
    parser.add_argument("stack", metavar="ENV", help="a stack of this project, or its file")
    return parser


def _run(run: Run) -> int:
    from bedplate.stacks.providers import guard  # noqa: PLC0415 - Pulumi's SDK comes with it

    os.environ.update(_environment(run.scratch))
    if status := guard(run.stack, run.files):
        return status
    if faults := [*lacking(run.command, run.stack, run.files, asks=not _quietly())]:
        sys.stderr.writelines(f"{line}\n" for line in faults)
        return WRONG
    cli = _cli()  # only now: a wrong name or profile must not cost its download
    if run.command in (*JUDGED, "adopt", "config") and (status := _selected(cli, run)):
        return status
    if run.command == "adopt":
        return _adopt(cli, run)
    more = run.more
    if run.command in EMPTYING:
        state = exported(cli, run.stack, run.files.root)
        if said := another_cluster(run.stack, state) or _keeps(run, state):
            sys.stderr.write(said)
            return WRONG
        more = [*more, *(rest(state, more) if run.command == "destroy" else ())]
    judged = _judged(run.stack, run.scratch) if run.command in JUDGED else ()
    words = [cli, run.command, "--stack", run.stack, *more, *judged, *run.logged(), *_quietly()]
    beside = _beside(run.stack, run.files) if run.command == "preview" else None
    status = run.pulumi(words, terminal=not _quietly())
    if beside and not run.children.asked:
        beside.tell()
    return status


def _keeps(run: Run, state: Mapping[str, Any]) -> str:
    return refused(run.stack, state, run.more, asks=not _quietly()) if run.command == "destroy" else ""


def _beside(stack: str, files: StackFiles) -> "Beside | None":
    """Ask the cloud while Pulumi works, where the profile names one (docs/preflight.md)."""
    from bedplate.stacks.load import load_stack  # noqa: PLC0415 - the other commands

    profile = load_stack(stack, files)
    if profile.own_cloud is None:
        return None
    from bedplate.preflight.beside import Beside  # noqa: PLC0415 - only clouds pay for it

    return Beside(profile)


def _selected(cli: str, run: Run) -> int:
    """A cluster that is new has no stack yet; CI cannot be asked to make it."""
    return run.pulumi([cli, "stack", "select", "--create", run.stack, "--non-interactive"], ERR)


def _adopt(cli: str, run: Run) -> int:
    """Import what the cluster has already of that which a preview would create (docs/adopting.md)."""
    from bedplate.plan.adopt import main as fill  # noqa: PLC0415 - the other commands

    shown, imports = run.scratch / "preview.json", run.scratch / "import.json"
    seen = [cli, "preview", "--stack", run.stack, "--non-interactive", "--json", "--import-file", str(imports)]
    with shown.open("w", encoding="utf-8") as out:
        status = run.pulumi(seen, out.fileno())
    if status:
        sys.stderr.write(shown.read_text(encoding="utf-8"))
        return status
    if (status := fill([str(shown), str(imports)])) or not imports.exists():
        return status
    words = [cli, "import", "--stack", run.stack, "--file", str(imports), "--protect=false", "--generate-code=false"]
    return run.pulumi([*words, *run.more, *_quietly()], terminal=not _quietly())


def _cli() -> str:
    from bedplate.lab.binaries import LabError  # noqa: PLC0415 - `--help` must not cost it
    from bedplate.lab.deploy import provide_cli  # noqa: PLC0415

    try:
        return provide_cli()
    except LabError as error:
        raise StackFileError(str(error)) from error


def _environment(scratch: Path) -> Iterator[tuple[str, str]]:
    """What the CLI and its language host must see; an empty backend's name is none."""
    if text := os.environ.get("KUBECONFIG_TEXT"):
        kubeconfig = scratch / "kubeconfig"
        kubeconfig.touch(mode=0o600)
        kubeconfig.write_text(f"{text}\n", encoding="utf-8")
        yield "KUBECONFIG", str(kubeconfig)
    yield SWITCH
    if not os.environ.get("PULUMI_BACKEND_URL"):
        os.environ.pop("PULUMI_BACKEND_URL", None)
    if INSTALLED:  # a project without an environment of its own runs in this one, where Bedplate is
        yield "PATH", os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
        if not find_spec("components"):  # last on the path: whoever has such a package has the name
            yield "PYTHONPATH", os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(PACKAGE / "house"))))


def _judged(stack: str, scratch: Path) -> tuple[str, ...]:
    from bedplate.policies.command.cluster import facts_of  # noqa: PLC0415 - only what is judged pays for the rules
    from bedplate.policies.pack import configuration  # noqa: PLC0415

    config = scratch / "policies.json"
    config.write_text(json.dumps(configuration(facts_of(stack))), encoding="utf-8")
    return "--policy-pack", _pack(scratch / "policies"), "--policy-pack-config", str(config)


def _pack(folder: Path) -> str:
    """The project's own folder, or where Bedplate is installed one that names its environment."""
    if not INSTALLED:
        return "policies"
    folder.mkdir()
    (folder / "PulumiPolicy.yaml").write_text(PACK.format(environment=sys.prefix), encoding="utf-8")
    (folder / "__main__.py").write_text(SERVE, encoding="utf-8")
    return str(folder)


def _quietly() -> tuple[str, ...]:
    watched = sys.stdin.isatty() and not os.environ.get("CI")
    return () if watched else ("--non-interactive", "--color", "never")
