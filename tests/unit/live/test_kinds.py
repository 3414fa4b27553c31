"""Where the API server lists a kind."""

import pytest

from bedplate.live.kinds import Kind


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("Gateway", "gateways"),
        ("ClusterPolicy", "clusterpolicies"),
        ("StorageClass", "storageclasses"),
        ("HyperNode", "hypernodes"),
        ("NetworkAttachmentDefinition", "network-attachment-definitions"),
    ],
)
def test_a_kind_is_listed_under_its_plural(kind: str, plural: str) -> None:
    assert Kind("example.com/v1", kind).path("a") == f"/apis/example.com/v1/namespaces/a/{plural}"
