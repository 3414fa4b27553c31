"""`bedplate init ENV --from-cluster CONTEXT`: a profile of a cluster that is there, by lists, and what is open."""

import textwrap

from bedplate.cluster.errors import ClusterError
from bedplate.live.discover.draft import LISTED, Draft, draft
from bedplate.live.network import network
from bedplate.live.reading import Observed, UnreachableError, getter, look, version
from bedplate.plan.to_yaml import to_yaml
from bedplate.progress import progress
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.stack_file import StackFileError

SCHEMA = "# yaml-language-server: $schema=profile.schema.json\n"
ABOVE = "config:\n  pulumi:disable-default-providers: [kubernetes, aws, gcp]\n  bedplate:profile:\n"
FILL = "to fill in, and what could not be seen:"


def described(name: str, context: str) -> Draft:
    """What the cluster behind a context shows; nothing of it is changed, and no Secret is read."""
    get = getter(context)
    try:
        with progress(f"Looking at {context}"):
            observed = network(get, Observed(version=version(get)).with_more(look(get, LISTED)))
    except (UnreachableError, ClusterError) as error:
        raise StackFileError(f"{context}: the cluster does not answer: {error}; is KUBECONFIG its file?") from error
    drafted = draft(observed, name, context)
    if not drafted.profile["pools"]:
        raise StackFileError(f"{context}: no node can be seen, and so nothing described; `list` on nodes is needed")
    return Draft(drafted.profile, (*faults(drafted), *drafted.unseen))


def faults(drafted: Draft) -> tuple[str, ...]:
    """What the profile lacks before it can be planned, in the words of any command."""
    try:
        load(drafted.profile, drafted.profile["name"])
    except ProfileError as error:
        return tuple(str(error).splitlines())
    return ()


def written(drafted: Draft, *, bare: bool) -> str:
    """The file, with what is open in comments at its top."""
    doubts = "".join(f"# - {line}\n" for line in drafted.unseen)
    head = f"# Written from what the cluster shows; {FILL}\n{doubts}"
    body = to_yaml(drafted.profile)
    return head + body if bare else f"{SCHEMA}{head}{ABOVE}{textwrap.indent(body, '    ')}"
