"""Each guard, evaluated in process, says of every document of the corpus what the checker says.

`tests/cluster/test_admission_parity.py` asks a real API server of the same documents, which has schemas besides.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from bedplate.policies.admission import GUARDS, manifests
from tests.api_server import Request, refusals
from tests.cluster.test_admission_parity import GUARDED, LEAST, NEVER, PARTLY, Finding, checked, documents

PLURALS = {plural for guard in GUARDS for _, _, plural in guard.kinds}
POLICIES: list[Any] = [each for each in manifests() if each["kind"] == "ValidatingAdmissionPolicy"]
NAME = re.compile(r"[a-z0-9]([-.a-z0-9]*[a-z0-9])?")
"""Of an object that an API server takes; `${NAME}` is for somebody to fill in."""
FAILS = "(it fails: "
"""Of a policy that cannot be evaluated: the object lacks what its kind's schema requires."""


def plural(kind: str) -> str:
    name = kind.lower()
    return next((each for each in (f"{name}s", f"{name}es", f"{name[:-1]}ies") if each in PLURALS), "")


def said(doc: Mapping[str, Any]) -> set[Finding] | None:
    """What the guards say of an object that is made; None of one that no schema takes."""
    group, _, version = doc["apiVersion"].rpartition("/")
    place = doc["metadata"].get("namespace", "")
    request = Request("create", group, version, plural(doc["kind"]), place, new=doc)
    found = {each["metadata"]["name"]: list(refusals(request, [each])) for each in POLICIES}
    failed = any(FAILS in each for words in found.values() for each in words)
    return None if failed else {GUARDED[name] for name, words in found.items() if words}


def test_every_guard_is_evaluated_and_says_what_the_checker_says() -> None:
    judged: Counter[Finding] = Counter()
    more: list[tuple[str, Finding]] = []
    less: list[tuple[str, Finding]] = []
    for title, doc in documents():
        if not plural(doc["kind"]) or not NAME.fullmatch(doc["metadata"]["name"]):
            continue
        there, here = said(doc), checked(doc)
        if there is None:
            continue
        judged.update(there)
        more += [(title, each) for each in sorted(there - here - {(rule, "advisory") for rule, _ in here})]
        less += [(title, each) for each in sorted(here - there) if each[0] not in PARTLY]
    assert more == []
    assert less == []
    assert judged.total() >= LEAST
    assert {rule for rule, _ in judged} >= {rule for rule, _ in GUARDED.values()} - NEVER
