"""What public repositories know stands in the catalogue as the tool writes it, and the tool reads what it says it does."""

import os
from pathlib import Path

import pytest

from bedplate.catalog import table
from tests.tools.catalog import ec2, mig, prices
from tests.tools.catalog.read import READERS, Clones, written

CLONES = os.environ.get("BEDPLATE_CLONES", "")
PAGE = """### `x9.large`
#### Labels
 |karpenter.k8s.aws/instance-cpu|8|
 |karpenter.k8s.aws/instance-gpu-count|2|
 |karpenter.k8s.aws/instance-gpu-memory|22888|
 |karpenter.k8s.aws/instance-gpu-name|l4|
 |karpenter.k8s.aws/instance-memory|65536|
 |karpenter.k8s.aws/instance-network-bandwidth|{mbps}|
 |kubernetes.io/arch|amd64|
#### Resources
 |vpc.amazonaws.com/efa|{efa}|
### `m7i.large`
 |karpenter.k8s.aws/instance-cpu|2|
### `g4ad.xlarge`
 |karpenter.k8s.aws/instance-gpu-name|radeon-pro-v520|
"""
GO = """
	"us-east-1": {
		"g6.xlarge": 0.804800, "x9.large": 1.250000,
	},
	"us-west-2": {
		"x9.large": 2.5,
	},
	initialOnDemandPrices["eastus"] = map[string]float64{
		"Standard_NC4as_T4_v3":   0.526000,
	}
"""
LAYOUTS = """
data:
  config.yaml: |
    mig-configs:
      all-disabled: [{devices: all, mig-enabled: false}]
      all-1g.10gb: [{mig-devices: {1g.10gb: 7}}, {device-filter: ["0x20B010DE"], mig-devices: {1g.10gb: 4}}]
      all-1g.10gb.me: [{mig-devices: {1g.10gb+me: 1}}]
      all-1g.20gb: [{mig-devices: {1g.20gb: 4}}]
      all-1g.20gb.me: [{mig-devices: {1g.20gb+me: 1}}]
      all-2g.20gb: [{mig-devices: {2g.20gb: 3}}]
      all-3g.40gb: [{mig-devices: {3g.40gb: 2}}]
      all-4g.40gb: [{mig-devices: {4g.40gb: 1}}]
      all-7g.79gb: [{mig-devices: {7g.79gb: 1}}]
      all-1g.24gb: [{mig-devices: {1g.24gb: 4}}]
      all-2g.48gb: [{mig-devices: {2g.48gb: 2}}]
      all-2g.48gb.gfx: [{mig-devices: {2g.48gb+gfx: 2}}]
      all-4g.96gb: [{mig-devices: {4g.96gb: 1}}]
      all-balanced:
        - {device-filter: ["0x233010DE"], mig-devices: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}}
        - {device-filter: "0x2BB510DE", mig-devices: {1g.24gb: 2, 2g.48gb: 1}}
"""


@pytest.mark.parametrize("name", READERS)
def test_what_is_committed_is_what_the_tool_writes(name: str) -> None:
    if not CLONES:
        pytest.skip("BEDPLATE_CLONES names no folder of clones")
    clones = Clones(Path(CLONES))
    if lacking := clones.lacks(READERS[name][0]):
        pytest.skip(f"no clone of {', '.join(lacking)} in BEDPLATE_CLONES")
    assert table.written(written(name, clones)) == table.path(name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("efa", "mbps", "nics", "rate", "unread"),
    [(2, 200_000, "2", "100", ("unknown", "unknown")), (0, 25_000, "none", "none", ("no", "none"))],
)
def test_a_new_type_becomes_a_row_with_what_is_not_known_declined(
    efa: int, mbps: int, nics: str, rate: str, unread: tuple[str, str]
) -> None:
    known = table.read("aws")[:1]
    rows = ec2.rows(known, ec2.types(PAGE.format(efa=efa, mbps=mbps)), table.read("gpus"))
    assert rows[0] == known[0]
    (new,) = rows[1:]
    assert list(new) == list(known[0])
    assert (new["name"], new["family"], new["gpu"], new["gpus"], new["memory_gib"]) == (
        "x9.large",
        "x9",
        "L4",
        "2",
        "64",
    )
    assert (new["nics"], new["nic_gbps"], new["nvlink"], new["usd_hour"]) == (nics, rate, "1", "unknown")
    assert (new["ena_card"], new["efa_plugin"]) == unread


def test_a_type_that_has_a_row_keeps_what_the_page_does_not_know() -> None:
    row = {**table.read("aws")[0], "name": "x9.large", "kw": "1.5"}
    (said,) = ec2.rows([row], ec2.types(PAGE.format(efa=1, mbps=50_000)), table.read("gpus"))
    assert (said["kw"], said["cpus"], said["nic_gbps"], said["source"]) == ("1.5", "8", "50", "karpenter-aws")


def test_a_price_is_the_regions_and_never_in_place_of_another_lists() -> None:
    found = prices.of_go(GO, "us-east-1")
    assert found == {"g6.xlarge": 0.8048, "x9.large": 1.25}
    assert prices.of_go(GO, "eastus") == {"NC4as_T4_v3": 0.526}
    rows = [{"name": "x9.large", "usd_hour": "9", "price_source": source} for source in ("none", "mine", "other")]
    said = prices.priced(rows, found, "mine")
    assert [(row["usd_hour"], row["price_source"]) for row in said] == [
        ("1.25", "mine"),
        ("1.25", "mine"),
        ("9", "other"),
    ]


def test_a_quota_family_is_the_heading_above_a_size() -> None:
    text = "#  StandardXFamily:\nstandard_x1:\n  gpu: nvidia\n# other\nstandard_y1:\n"
    assert prices.families(text) == {"standard_x1": "StandardXFamily"}


def test_profiles_follow_from_the_layout_of_a_gpus_kind() -> None:
    found = mig.profiles(LAYOUTS)
    assert found["2330"] == {
        "1g.10gb": 7,
        "1g.20gb": 4,
        "2g.20gb": 3,
        "3g.40gb": 2,
        "4g.40gb": 1,
        "7g.79gb": 1,
        "1g.10gb+me": 1,
    }
    assert found["2bb5"] == {"1g.24gb": 4, "2g.48gb": 2, "4g.96gb": 1, "2g.48gb+gfx": 2}
    rows = mig.rows([{"pci": "2330"}, {"pci": "1eb8"}], found)
    assert [row["mig"].split()[0] for row in rows] == ["1g.10gb:7", "none"]
