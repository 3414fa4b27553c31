"""`bedplate preflight ENV`: what the cloud lacks of the machines that a profile wants. Reads, and makes nothing."""

import sys

from bedplate import usage
from bedplate.answer import answer
from bedplate.preflight.ask import by_command
from bedplate.preflight.asked import Looked, look, ready
from bedplate.wrong import WRONG, refusing

ENOUGH, SHORT = 0, 1


@refusing
def main(arguments: list[str] | None = None) -> int:
    """Ask, show, and say by the exit status whether the nodes will come."""
    options = usage.stated(__file__, "preflight").parse_args(arguments)
    if bool(options.stack) == bool(options.profile):
        sys.stderr.write("name a stack, or a file that holds a profile: bedplate preflight ENV\n")
        return WRONG
    looked = _look(options.stack or options.profile)
    if options.json:
        document = {"asked": looked.asked, "findings": [finding.as_json() for finding in looked.findings]}
        answer("Preflight", document)
    else:
        from bedplate.preflight.show import show  # noqa: PLC0415 - machines do not pay for it

        show(looked)
    return status(looked)


def _look(name: str) -> Looked:
    from bedplate.progress import progress  # noqa: PLC0415 - a wrong command must not cost it
    from bedplate.stacks.load import load_named  # noqa: PLC0415

    profile = load_named(name)
    ready(profile)
    with progress(f"Asking the cloud for {name}"):
        return look(profile, by_command)


def status(looked: Looked) -> int:
    """The gravest finding decides."""
    grades = {finding.grade for finding in looked.findings}
    return SHORT if "short" in grades else WRONG if "unknown" in grades else ENOUGH


if __name__ == "__main__":
    sys.exit(main())
