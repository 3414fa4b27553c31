"""A company's own rules, in files and in packages, are listed, judged and waived as ours are; the page's are an example."""

import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from bedplate.policies.command import own
from bedplate.policies.command.cli import main
from bedplate.policies.rule import REGISTRY
from tests.rooms import ROOT

PAGE = (ROOT / "docs" / "check.md").read_text()
SERVER = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: x%s}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: a, image: "docker.io/a:1"}]
"""


def shown(file: str, language: str = "yaml") -> str:
    """What the page writes into a file."""
    (text,) = re.findall(rf"```{language}\n# {re.escape(file)}.*?\n(.*?)```", PAGE, re.DOTALL)
    return text


SILENT = """
from bedplate.policies.resources.pod import Pod
from bedplate.policies.rule import MANDATORY, rule
rule("ACME-104", MANDATORY, on=Pod, title="Nothing is wrong")(lambda pod, facts: iter(()))
"""


@pytest.fixture
def company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / ".git").mkdir()
    for file in ("acme-rules.yaml", "bedplate-check.yaml"):
        (tmp_path / file).write_text(shown(file))
    (tmp_path / "web.yaml").write_text(SERVER % "")
    monkeypatch.chdir(tmp_path)
    before = dict(REGISTRY)
    yield tmp_path
    assert before == REGISTRY


def judged(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, str]:
    capsys.readouterr()
    main(["check", "web.yaml", "--format", "json", *words])
    found = json.loads(capsys.readouterr().out)["verdicts"]
    return {each["rule"]: f"{each['severity']}: {each['what']}" for each in found if each["rule"].startswith("ACME")}


def test_the_rules_of_the_page_judge_what_they_say(company: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expression = "`pod.containers.all(c, c.image.startsWith('registry.acme.example/'))` is not so"
    assert judged(capsys) == {"ACME-101": "mandatory: has no label team", "ACME-102": f"mandatory: {expression}"}
    assert judged(capsys, "--level", "ACME-102=disabled", "--level", "acme-101=advisory") == {
        "ACME-101": "advisory: has no label team"
    }
    right = (SERVER % ", labels: {team: web}").replace("docker.io", "registry.acme.example")
    (company / "web.yaml").write_text(right)
    assert judged(capsys) == {}


def test_own_rules_are_listed_explained_and_in_sarif(company: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "ACME-101 mandatory  Workloads name their team",
        "ACME-102 advisory   Images come from our registry",
    ]
    main(["--list", "--json"])
    assert json.loads(capsys.readouterr().out)["rules"][-1]["subject"] == "own"
    assert main(["--explain", "acme-102"]) == 0
    assert "Source: ACME handbook, page 4." in capsys.readouterr().out
    assert main(["check", "web.yaml", "--format", "sarif"]) == 1
    run = json.loads(capsys.readouterr().out)["runs"][0]
    assert [run["tool"]["driver"]["rules"][each["ruleIndex"]]["id"] for each in run["results"]] == [
        "ACME-101",
        "ACME-102",
    ]


def test_own_rules_are_waived_as_ours_are(company: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (company / "web.yaml").write_text(SERVER % ', annotations: {waive.bedplate.dev/ACME-101: "none yet"}')
    (company / "bedplate-waivers.yaml").write_text("waivers: [{rule: ACME-102, resource: '*', reason: tried}]")
    assert [said.split(":")[0] for said in judged(capsys).values()] == ["waived", "waived"]
    assert main(["check", "web.yaml"]) == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("ACME-101", "GPU-901", "acme-rules.yaml: GPU-901: ids that begin with GPU, NET"),
        ("ACME-101", "acme", "acme-rules.yaml: acme: write an id as ACME-101"),
        ("ACME-102", "ACME-101", "acme-rules.yaml: ACME-101: two rules have this id"),
        (
            "    why: Nobody scans the others\n",
            "",
            "acme-rules.yaml: line 11: rules[1].why: absent, and needed: add it",
        ),
        ("about: pod", "about: pods", """acme-rules.yaml: line 13: rules[1].about = "pods": write 'object' or 'pod'"""),
        ("fix: Add", "fox: Add", "line 9: rules[0].fox: there is no such key"),
        ("'team' in", "'team' inn", "acme-rules.yaml: line 6: rules[0].expression: is no CEL: 1:"),
        ("has(object", "has(obj", "line 6: rules[0].expression: there is no obj; with `about: object` there is object"),
        ("c.image.startsWith", "c.image.beginsWith", "line 14: rules[1].expression: there is no function beginsWith"),
        ("rules:", "- rules:", "acme-rules.yaml: write keys and values, such as `rules: [{id: ACME-101, ...}]`"),
    ],
)
def test_a_wrong_file_of_rules_is_one_line_with_its_place(
    company: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, said: str
) -> None:
    (company / "acme-rules.yaml").write_text(shown("acme-rules.yaml").replace(old, new, 1))
    assert main(["check", "web.yaml"]) == 2
    out = capsys.readouterr()
    assert any(said in line for line in out.err.splitlines())
    assert out.err.startswith("acme-rules.yaml: ")
    assert out.out == ""


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("object.metadata.labels.team == 'a'", "has no labels (guard it by has(...))"),
        ("object.metadata.name + 1 == 2", "cannot be judged by"),
        ("object.metadata.name", "is 'web', neither true nor false"),
    ],
)
def test_an_expression_without_a_yes_or_no_never_passes_in_silence(
    company: Path, capsys: pytest.CaptureFixture[str], expression: str, said: str
) -> None:
    text = re.sub(r"expression: has.*\n    message.*", f'expression: "{expression}"', shown("acme-rules.yaml"))
    (company / "acme-rules.yaml").write_text(text)
    assert said in judged(capsys)["ACME-101"]


def test_without_the_package_the_file_says_what_to_install(
    company: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bedplate.policies.command.expressions.find_spec", lambda _: None)
    assert main(["check", "web.yaml"]) == 2
    assert capsys.readouterr().err.endswith("install bedplate[cel]\n")


@pytest.fixture
def package(company: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """As if a package of the company's were installed."""
    monkeypatch.syspath_prepend(company)
    point = EntryPoint("acme", "acme_rules", own.GROUP)
    monkeypatch.setattr(own, "entry_points", lambda group: [point] if group == "bedplate.rules" else [])
    monkeypatch.setattr(own, "LOADED", {})
    yield company / "acme_rules.py"
    sys.modules.pop("acme_rules", None)


def test_the_package_of_the_page_judges_beside_the_file(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package.write_text(shown("acme_rules.py", "python"))
    assert judged(capsys)["ACME-103"] == "advisory: has no label purpose"
    assert sorted(judged(capsys)) == [
        "ACME-101",
        "ACME-102",
        "ACME-103",
    ]  # the module is run once, its rules hold again


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import nothing_like_it", "bedplate.rules: acme = acme_rules: ModuleNotFoundError: No module named"),
        ("1 / 0", "bedplate.rules: acme = acme_rules: ZeroDivisionError: division by zero"),
        (SILENT, "bedplate.rules: acme: ACME-104: write why, fix, source, proof in rule(...)"),
    ],
)
def test_a_package_that_does_not_load_is_one_line(
    package: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    package.write_text(text)
    assert main(["check", "web.yaml"]) == 2
    assert capsys.readouterr().err.startswith(said)
