"""A stack file that was copied from another and still is the other's cluster."""

from collections.abc import Iterator

from bedplate.stacks.profile.problem import Problem, ProfileError
from bedplate.stacks.profile.profile import Profile
from bedplate.stacks.profile.stack_file import StackFileError, StackFiles


def refuse_copies(profile: Profile, stack: str, files: StackFiles) -> None:
    """Raise if another stack file names the same cluster; a stack without a file is nobody's copy."""
    if stack in files.known() and (problems := list(check_copy(profile, stack, files))):
        raise ProfileError(problems, files.file(stack), files.place(stack))


def check_copy(profile: Profile, stack: str, files: StackFiles) -> Iterator[Problem]:
    """Two stacks of one name would each make, and undo, what belongs to the other.

    All that is made in a cloud carries the cluster's name, and the provider knows the cluster by it. The stack that
    makes a cluster and the one that deploys on it share a name on purpose (docs/cloud-aws.md).
    """
    for other in files.known():
        text = files.place(other).read_text(encoding="utf-8")
        if other == stack or not (f"name: {profile.name}" in text or "base:" in text):  # seldom worth reading as YAML
            continue
        theirs = _profile(other, files)
        if theirs.get("name") == profile.name and makes_cluster(theirs) == profile.makes_cluster:
            reason = f"{files.file(other)} is the cluster of that name, and both would manage it"
            fix = "give this one a name of its own, and with it context, cloud.account and addresses"
            yield Problem("name", profile.name, reason, fix)


def _profile(stack: str, files: StackFiles) -> dict[str, object]:
    """Nothing where the other's file is broken: that is for its own plan to say."""
    try:
        return files.profile(stack)
    except StackFileError:
        return {}


def makes_cluster(document: dict[str, object]) -> bool:
    """As `Profile.makes_cluster`, of a profile as it is written."""
    cloud = document.get("cloud")
    cluster = cloud.get("cluster") if isinstance(cloud, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return isinstance(cluster, dict) and bool(cluster.get("create"))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
