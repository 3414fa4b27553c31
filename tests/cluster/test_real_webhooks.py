"""Every webhook that refuses, of every real controller: it is closed as its chart closes it, and refuses what is bad."""

import json
import re
from collections.abc import Iterator

import pytest

from bedplate.lab.binaries import LabError
from tests.cluster.guarding import unguarded
from tests.cluster.planted import PLANTED
from tests.cluster.real import Lab


@pytest.fixture(scope="module", autouse=True)
def webhooks_alone(kueue: Lab) -> Iterator[None]:
    with unguarded(kueue.cluster):
        yield


@pytest.fixture(scope="module")
def live(kueue: Lab) -> dict[str, str]:
    """Failure policy by name, of those that refuse something that this lab serves."""
    found = json.loads(kueue.cluster.kubectl("get", "validatingwebhookconfigurations", "--output=json"))["items"]
    served = set(kueue.cluster.kubectl("api-resources", "--output=name").split())
    return {
        hook["name"]: hook["failurePolicy"]
        for one in found
        for hook in one["webhooks"]
        for rule in hook["rules"]
        if {f"{rule['resources'][0]}.{rule['apiGroups'][0]}".rstrip(".")} & served
    }


def test_a_bad_object_is_planted_for_every_webhook_and_all_are_closed(live: dict[str, str]) -> None:
    assert live.keys() <= PLANTED.keys()
    assert set(live.values()) == {"Fail"}


@pytest.mark.parametrize("name", PLANTED)
def test_the_webhook_refuses_what_its_schema_takes(name: str, live: dict[str, str], kueue: Lab) -> None:
    if name not in live:
        pytest.skip("its controller is not real here")
    made, told = PLANTED[name]
    with pytest.raises(LabError, match=rf'(webhook "{re.escape(name)}" denied the request|is invalid).*{told}'):
        kueue.cluster.apply([made(kueue)], "--dry-run=server")
