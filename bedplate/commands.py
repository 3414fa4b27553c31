"""Every command of `bedplate` in one table: its name, what it is for, and where its code is.

The code is named and not imported: `--help` costs no import of what a command needs, and a command no import of the
others. A new command is a line here and a function that takes its words and answers with the exit status.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

Words: TypeAlias = list[str]


@dataclass(frozen=True)
class Command:
    """One subcommand."""

    name: str
    purpose: str
    module: str
    brief: bool = False
    """It builds up and then ends: collections over ever more live objects took a quarter of a plan's time."""
    words: tuple[str, ...] = ()
    """What stands before the user's own words, where one parser serves several commands."""

    def run(self, words: Words) -> int:
        """Do it; an exit status comes back."""
        action: Callable[[Words], int] = import_module(self.module).main
        return action([*self.words, *words])


COMMANDS = (
    Command("plan", "plan a cluster offline: no CLI, no cluster, no account", "bedplate.plan.__main__", brief=True),
    Command("job", "render, submit and list jobs, say why one waits", "bedplate.jobs.cli", brief=True),
    Command("check", "check manifests by the rules", "bedplate.policies.command.cli", words=("check",)),
    Command("size", "size a training run, a server or a cluster", "bedplate.sizing.__main__"),
    Command("init", "make a repository of your own, with a profile to start from", "bedplate.init"),
    Command("doctor", "where a running cluster differs from its profile", "bedplate.live.doctor", brief=True),
    Command("node", "why no job gets a node, and its way out and back in", "bedplate.nodes.__main__"),
    Command("profile", "show a profile whole, with the file and line of every value", "bedplate.profile"),
    Command("migrate", "write the new names of renamed keys into a profile", "bedplate.migrate"),
    Command("diff", "what a change does to the running cluster", "bedplate.review.__main__"),
    Command("upgrade", "go to another version set; what is known of upgrades", "bedplate.releases.upgrade"),
    Command("releases", "version sets, and advisories about what they install", "bedplate.releases.cli"),
    Command("fleet", "many clusters in waves, with a canary and one view", "bedplate.fleet.cli"),
    Command("inspect", "read a machine: GPUs, rails, firmware, ACS", "bedplate.inspect.__main__"),
    Command("preflight", "ask the cloud for capacity: quotas, reservations", "bedplate.preflight.__main__"),
    Command("preview", "what would change on the cluster (Pulumi CLI)", "bedplate.engine.command", words=("preview",)),
    Command("up", "deploy to the cluster (Pulumi CLI)", "bedplate.engine.command", words=("up",)),
    Command("down", "take it all away again (Pulumi CLI)", "bedplate.engine.command", words=("destroy",)),
    Command("adopt", "adopt what the cluster already has (Pulumi CLI)", "bedplate.engine.command", words=("adopt",)),
    Command("images", "every image that a cluster pulls, for a mirror", "bedplate.evidence.images_command", brief=True),
    Command("evidence", "sign statements of what was planned, deployed, checked", "bedplate.evidence.command"),
    Command("verify", "check a running cluster by jobs: GPUs, links, fabric, storage", "bedplate.verify.__main__"),
    Command(
        "pulumi", "any other command of Pulumi, behind the same guard", "bedplate.engine.command", words=("pulumi",)
    ),
    Command("rules", "list and explain the rules, write them for an API server", "bedplate.policies.command.cli"),
    Command("lab", "a simulated GPU cluster on your own machine", "bedplate.lab.__main__"),
    Command("docs", "read the pages, or look for a word in them", "bedplate.pages"),
    Command("completion", "print the completion script for bash, zsh or fish", "bedplate.completion"),
)
SAME = {"apply": "up", "deploy": "up", "destroy": "down"}
"""What Terraform and Pulumi call a command."""


def called(name: str) -> Command | None:
    """The command of that name, or of the one that others have for it."""
    return next((one for one in COMMANDS if one.name == SAME.get(name, name)), None)
