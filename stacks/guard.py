"""`python -m stacks.guard ENV`: whether a desk may touch a stack's cluster, before any command does.

The program asks the same (stacks/providers.py), but `destroy` and `refresh` do not run it.
"""

import sys

from stacks.load import load
from stacks.profile.problem import ProfileError
from stacks.profile.profile import Profile
from stacks.profile.stack_file import StackFileError, StackFiles
from stacks.providers import check_kubeconfig


def main(environment: str) -> int:
    """0: go on; 2: one line for each reason not to."""
    files = StackFiles()
    try:
        guard(load(files.profile(environment), files.file(environment)), files.file(environment))
    except (StackFileError, ProfileError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def guard(profile: Profile, source: str) -> None:
    """Raise ProfileError unless the kubeconfig is that of the cluster; one that is yet to be made has none."""
    if problems := [] if profile.makes_cluster else list(check_kubeconfig(profile.context)):
        raise ProfileError(problems, source)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
