"""`bedplate evidence ENV --key KEY --out FILE`: a signed statement of what was planned, deployed and checked.

`bedplate evidence verify FILE --key PUB` says offline whether a file is what that key signed, and what it states.
"""

import json
import sys
import textwrap
from datetime import UTC, datetime
from typing import Any

from bedplate import __version__, usage
from bedplate.wrong import WRONG, WrongError, refusing

PASSED, FAILED, OPEN = 0, 1, 3
STATUS = {"passed": PASSED, "failed": FAILED, "unknown": OPEN}
VERIFY = "verify"
WIDTH = 80
NO_LIBRARY = "signing needs the package `cryptography`: pip install 'bedplate[evidence]'"


@refusing
def main(words: list[str]) -> int:
    """State, or verify what was stated."""
    try:
        return _verify(words[1:]) if words[:1] == [VERIFY] else _state(words)
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] != "cryptography":
            raise
        sys.stderr.write(f"{NO_LIBRARY}\n")
    return WRONG


def _state(words: list[str]) -> int:
    options = usage.stated(__file__, "evidence").parse_args(words)
    from bedplate.evidence.envelope import sealed  # noqa: PLC0415 - `--help` must not need the extra
    from bedplate.evidence.keys import private_key  # noqa: PLC0415

    key = private_key(options.key)
    from bedplate.evidence.gather import gathered  # noqa: PLC0415 - a wrong key must not cost a plan

    statement = gathered(options, {"created": datetime.now(UTC).isoformat(timespec="seconds"), "bedplate": __version__})
    if statement is None:
        return WRONG
    try:
        options.out.write_bytes(sealed(statement, key))
    except OSError as error:
        sys.stderr.write(f"{options.out}: cannot be written: {error.strerror}\n")
        return WRONG
    sys.stdout.write(f"{options.out}\n{_summary(statement)}")
    return STATUS[statement["predicate"]["result"]]


def _verify(words: list[str]) -> int:
    options = usage.stated(__file__, "evidence verify").parse_args(words)
    from bedplate.evidence.envelope import NotWhatWasSignedError, opened  # noqa: PLC0415 - as above
    from bedplate.evidence.keys import public_key  # noqa: PLC0415

    key = public_key(options.key)
    try:
        statement = opened(options.file.read_bytes(), key)
    except OSError as error:
        raise WrongError(f"{options.file}: cannot be read: {error.strerror}") from None
    except NotWhatWasSignedError as error:
        sys.stderr.write(f"{options.file}: not to be relied on: {error}\n")
        return FAILED
    sys.stdout.write(
        json.dumps(statement, indent=2) + "\n" if options.json else f"signed as it is\n{_summary(statement)}"
    )
    return PASSED


def _summary(statement: dict[str, Any]) -> str:
    """For people; digests are cut, `--json` has them whole."""
    predicate = statement["predicate"]
    planned, checked = predicate["planned"], predicate["checked"]
    lines = [
        f"stack {predicate['stack']}, {predicate['created']}: {predicate['result']}",
        f"planned: {planned['resources']} resources, {len(planned['images'])} images, {planned['rules']} rules",
        *(f"{subject['name']}: sha256:{subject['digest']['sha256'][:32]}…" for subject in statement["subject"]),
        *(f"{name}: {_counts(part['counts'])}" for name, part in checked.items()),
        *(f"{count} faults: {name}" for name, count in predicate["faults"].items() if count),
        *(f"not checked: {text}" for text in predicate["notChecked"]),
    ]
    return "".join(f"{textwrap.fill(line, WIDTH, subsequent_indent='  ')}\n" for line in lines)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {status}" for status, number in counts.items())
