"""What a cluster costs and draws: by the site's prices, by a dated list, and never by a guess."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.catalog.machines import MACHINES
from bedplate.catalog.sources import SOURCES
from bedplate.plan.__main__ import main as plan
from bedplate.plan.markdown import markdown
from bedplate.plan.sizing import sizing
from bedplate.review.__main__ import main as diff
from bedplate.review.cost import cost
from bedplate.stacks.facts.costs import Bill, bill, draw
from bedplate.stacks.hardware.shapes import Shape
from bedplate.stacks.load import load, load_named
from bedplate.stacks.profile.problem import ProfileError
from tests.cloud_profiles import eks

P5: dict[str, Any] = {"name": "p5", "shape": "p5.48xlarge", "nodes": 4}
CPU: dict[str, Any] = {"shape": {"cpus": 16, "memoryGib": 64}, "instanceType": "m7i.4xlarge"}
WITHOUT = "without system: no price is known; at least"
"""The pool for ordinary pods has a shape of its own, and nobody says what it costs or draws."""
LISTED = f"list price on demand, us-east-1, {SOURCES['aws-list'].read}"


def billed(*pools: dict[str, Any], **more: Any) -> Bill:
    return bill(load(eks(*pools, **more)))


def test_a_list_price_is_of_a_cloud_with_a_region_and_a_day() -> None:
    priced = [machine for machine in MACHINES.values() if machine.price]
    assert [one.name for one in priced if one.cloud is None or not SOURCES[one.price.source].region] == []  # type: ignore[union-attr]


def test_an_hour_of_a_pool_is_its_nodes_at_the_list_price_and_the_data_sheet() -> None:
    found = billed(P5)
    assert (found.dollars, found.kilowatts, found.whole) == (pytest.approx(220.16), pytest.approx(40.8), False)
    assert found.text == f"$220.16 an hour, {WITHOUT} 40.8 kW; {LISTED}"


def test_an_autoscaled_pool_says_what_it_may_come_to() -> None:
    assert billed({**P5, "autoscale": {"max": 8}}).text.startswith(
        f"$220.16 an hour (at most $440.32), {WITHOUT} 40.8 kW"
    )


def test_the_sites_own_price_goes_before_the_list(tmp_path: Path) -> None:
    own = billed(P5, hardware={"prices": {"p5.48xlarge": 31.46}})
    assert own.text == f"$125.84 an hour, {WITHOUT} 40.8 kW; hardware.prices"
    (tmp_path / "machines.yaml").write_text(yaml.safe_dump({"prices": {"p5.48xlarge": 30}}))
    (tmp_path / "site.yaml").write_text(yaml.safe_dump(eks(P5, hardware={"file": "machines.yaml"})))
    assert bill(load_named(str(tmp_path / "site.yaml"))).dollars == pytest.approx(120)


def test_what_has_no_price_and_no_sheet_is_named_and_not_guessed() -> None:
    text = billed(P5, {**CPU, "name": "cpu"}).text
    assert text == f"$220.16 an hour, without cpu, system: no price is known; at least 40.8 kW; {LISTED}"


def test_boards_alone_are_a_lower_bound_and_a_shapes_own_figure_is_all_of_it() -> None:
    assert billed({"name": "l40s", "shape": "g6e.48xlarge"}).text.endswith(f"at least 5.6 kW; {LISTED}")
    own = Shape(gpu="L40S", gpus=4, cpus=96, memory_gib=768)
    assert draw(own) == (1.4, False)
    assert draw(own.model_copy(update={"max_kw": 2.5})) == (2.5, True)
    assert draw(Shape(gpu="A100-80", gpus=8, cpus=96, memory_gib=768)) == (6.5, True)
    assert draw(Shape(gpu="A100-PCIe-80", gpus=2, cpus=96, memory_gib=768)) == (0.6, False)
    assert draw(Shape(cpus=16, memory_gib=64)) is None


def test_a_price_of_no_machine_is_refused() -> None:
    for name, fix in (("p5.48xlarg", "did you mean p5.48xlarge"), ("zzz", "use the name of a shape or machine")):
        with pytest.raises(ProfileError, match=f"hardware.prices.{name} = 31.0: no machine has this name; {fix}"):
            load(eks(P5, hardware={"prices": {name: 31}}))
    assert billed(P5, {**CPU, "name": "system"}, hardware={"prices": {"m7i.4xlarge": 0.8}}).unpriced == ()


def test_plan_report_and_comment_say_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(["eks-p5", "--out", str(tmp_path / "plan")]) == 0
    assert "Cost: $220.16 an hour (at most $440.32), without system" in capsys.readouterr().out
    page = (tmp_path / "plan" / "report.html").read_text()
    assert "<td>220.16</td><td>40.8</td>" in page
    assert "Cost: $220.16 an hour" in page
    brief = {
        "stack": "x",
        "resources": [],
        "releases": [],
        "gates": [],
        "counts": {},
        "secrets": [],
        "needs": [],
        "lookups": [],
    }
    text = markdown(brief | {"advisories": [], "unread": [], "warnings": [], "verdicts": [], "sizing": sizing(eks(P5))})
    assert "| p5 | p5.48xlarge | 4 | 32 | 32 | 220.16 | 40.80 |" in text
    assert f"Cost: $220.16 an hour, {WITHOUT} 40.8 kW; {LISTED}." in text


def test_a_change_says_what_it_adds() -> None:
    more = eks({**P5, "nodes": 6})
    said = "$220.16 → $330.24 an hour (+$110.08); 40.80 → 61.20 kW (+20.40)"
    assert cost(eks(P5), more) == f"{said}; without system: no price is known"
    assert cost(more, eks(P5)).startswith("$330.24 → $220.16 an hour (\N{MINUS SIGN}$110.08)")
    assert cost(eks(P5), {"name": "of another release"}) == ""


def test_diff_shows_it_to_people_reviewers_and_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, nodes in (("old", 4), ("new", 6)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "deployment.json").write_text(json.dumps({"deployment": {"resources": []}}))
        (folder / "profile.json").write_text(json.dumps(eks({**P5, "nodes": nodes})))
    sides = [str(tmp_path / "old"), str(tmp_path / "new")]
    for words in ([], ["--format", "markdown"], ["--format", "json"]):
        assert diff([*sides, *words]) == 0
        said = capsys.readouterr().out
        assert "$220.16 → $330.24 an hour" in (json.loads(said)["cost"] if "json" in words else said)
