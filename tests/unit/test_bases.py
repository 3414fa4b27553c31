"""Profiles that share: what merges, what replaces, and that every value keeps the file and line where it stands."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml

from bedplate.cli import main
from bedplate.plan.capture import capture
from bedplate.stacks.platform.cluster import Cluster
from bedplate.stacks.profile import renamed
from bedplate.stacks.profile.renamed import Renaming
from bedplate.stacks.profile.stack_file import StackFileError, StackFiles
from tests.rooms import ROOT

WHOLE = (ROOT / "tests" / "profiles" / "l40s-lab.yaml").read_text()
PROJECT = "name: clusters\nruntime: python\nstackConfigDir: clusters\nconfig: {bedplate:profile: {type: object}}\n"
Write = Callable[..., StackFiles]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """A repository whose files are given, with the user in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clusters" / "bases").mkdir(parents=True)
    (tmp_path / "Pulumi.yaml").write_text(PROJECT)
    (tmp_path / "__main__.py").write_text("from bedplate import deploy\n\ndeploy()\n")

    def written(**texts: str) -> StackFiles:
        for name, text in texts.items():
            place = tmp_path / "clusters" / name.replace("__", "/")
            place.with_suffix(".yaml").write_text(dedent(text))
        return StackFiles.here()

    return written


def merged(write: Write, below: str, above: str) -> dict[str, Any]:
    return write(bases__b=below, prod=f"base: bases/b.yaml\n{dedent(above)}").profile("prod")


@pytest.mark.parametrize(
    ("below", "above", "whole"),
    [
        ("a: {x: 1, y: 2}", "a: {y: 3}", {"a": {"x": 1, "y": 3}}),
        ("a: [1, 2]", "a: [3]", {"a": [3]}),
        ("a: 1\nb: 2", "a: null", {"b": 2}),
        ("b: 2", "a: null", {"b": 2, "a": None}),
        (
            "a: [{name: x, n: 1}, {name: y, n: 2}]",
            "a: [{name: y, n: 3}, {name: z}]",
            {"a": [{"name": "x", "n": 1}, {"name": "y", "n": 3}, {"name": "z"}]},
        ),
        ("a: [{name: x}, {name: y}]", "a: [{name: x, $patch: delete}]", {"a": [{"name": "y"}]}),
        ("a: [{name: x, n: 1}]", "a: [{name: x}, {name: x}]", {"a": [{"name": "x"}, {"name": "x"}]}),
        ("a: [{name: x}]", "a: []", {"a": []}),
        ("a: {kind: kueue, topology: {}}", "a: {kind: volcano}", {"a": {"kind": "volcano"}}),
        ("a: {kind: kueue, topology: 1}", "a: {version: v1}", {"a": {"kind": "kueue", "topology": 1, "version": "v1"}}),
        (
            "s: &s {x: 1}\na: {<<: *s, y: 2}",
            "t: &t {y: 3}\na: {<<: *t}",
            {"s": {"x": 1}, "t": {"y": 3}, "a": {"x": 1, "y": 3}},
        ),
    ],
)
def test_sections_merge_by_key_and_lists_by_name(write: Write, below: str, above: str, whole: dict[str, Any]) -> None:
    assert merged(write, below, above) == whole


def test_of_several_bases_the_later_goes_over_the_earlier_and_a_base_may_have_one(write: Write) -> None:
    files = write(
        bases__site="a: 1\nb: 1\nc: 1\n",
        bases__h100="base: site.yaml\nb: 2\n",
        bases__eu="c: 3\n",
        prod="base: [bases/h100.yaml, bases/eu.yaml]\nd: 4\n",
    )
    assert files.profile("prod") == {"a": 1, "b": 2, "c": 3, "d": 4}
    assert list(files.sources("prod")) == ["prod.yaml", "bases/h100.yaml", "bases/site.yaml", "bases/eu.yaml"]


def test_names_of_files_in_a_base_are_from_its_own_folder(write: Write) -> None:
    below = "hardware: {file: site.yaml}\nserving: {servers: [{name: a, model: &m {config: m.json}}, {name: b, model: *m}]}\n"
    files = write(bases__b=below, bases__site="prices: {h100: 2}\n", prod="base: bases/b.yaml\n")
    profile = files.profile("prod")
    assert profile["hardware"] == {"prices": {"h100": 2}, "gpus": {}, "shapes": {}}
    assert [one["model"]["config"] for one in profile["serving"]["servers"]] == ["bases/m.json"] * 2


def test_a_stack_file_and_a_bare_profile_declare_with_a_base_what_they_declare_without(write: Write) -> None:
    same = yaml.safe_load(WHOLE)
    below = {key: value for key, value in same.items() if key not in ("name", "context")}
    own = {key: same[key] for key in ("name", "context")}
    below["pools"] = [{**pool, "nodes": pool["nodes"] + 1} for pool in below["pools"]]
    own["pools"] = [{"name": pool["name"], "nodes": pool["nodes"]} for pool in same["pools"]]
    text = yaml.safe_dump({"base": "bases/b.yaml", **own})
    stack = yaml.safe_dump({"config": {"bedplate:profile": {"base": "bases/b.yaml", **own}}})
    write(bases__b=yaml.safe_dump(below))

    def declared(file: str, stated: str) -> list[tuple[str, Any]]:
        place = Path("clusters", file)
        place.write_text(stated)
        graph = capture("prod", Path.cwd())
        place.unlink()
        return [(node.urn, node.inputs) for node in graph.resources]

    assert declared("prod.yaml", text) == declared("Pulumi.prod.yaml", stack) == declared("prod.yaml", WHOLE)


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        ({"prod": "base: prod.yaml\n"}, "clusters/prod.yaml:1: base = prod.yaml: the bases go round in a circle; "),
        (
            {"prod": "name: a\nbase: bases/b.yaml\n", "bases__b": "a: 1\nbase: ../prod.yaml\n"},
            "clusters/bases/b.yaml:2: base = ../prod.yaml: the bases go round in a circle; ",
        ),
        ({"prod": "base: [a.yaml]\n"}, "clusters/prod.yaml:1: base = a.yaml: there is no such file; "),
        ({"prod": "base: ../../b.yaml\n"}, "clusters/prod.yaml:1: base = ../../b.yaml: it lies outside of the rep"),
        ({"prod": "base: /etc/passwd\n"}, "clusters/prod.yaml:1: base = /etc/passwd: it lies outside of the rep"),
        ({"prod": "base: link.yaml\n"}, "clusters/prod.yaml:1: base = link.yaml: it lies outside of the repository"),
        ({"prod": "base:\n"}, "clusters/prod.yaml:1: base: no file's name; write one, or a list of them"),
        ({"prod": "base: bases/b.yaml\n", "bases__b": "- a\n"}, "clusters/bases/b.yaml:1: holds no profile; "),
        (
            {"prod": "base: bases/b.yaml\n", "bases__b": "a: 'x\n"},
            "clusters/bases/b.yaml: is not YAML: line 1: a quote",
        ),
        (
            {"prod": "base: bases/b.yaml\na: [{name: y, $patch: delete}]\n", "bases__b": "a: [{name: x}]\n"},
            "clusters/prod.yaml:2: name = y: no base has it; there is nothing to delete",
        ),
    ],
)
def test_a_base_that_cannot_be_is_one_line_with_its_place(
    write: Write, capsys: pytest.CaptureFixture[str], texts: dict[str, str], line: str
) -> None:
    write(**texts)
    Path("clusters/link.yaml").symlink_to("/etc/hostname")
    for command in (["plan"], ["profile", "show"], ["migrate"], ["preview"]):
        assert main([*command, "prod"]) == 2
        said = capsys.readouterr().err
        assert said.startswith(line)
        assert said.count("\n") == 1


def test_in_a_repository_with_git_a_base_may_lie_beside_the_project(write: Write) -> None:
    write(prod="base: ../../shared.yaml\na: 1\n")
    inner = Path.cwd() / "project"
    inner.mkdir()
    for name in ("clusters", "Pulumi.yaml"):
        (Path.cwd() / name).rename(inner / name)
    Path("shared.yaml").write_text("b: 2\n")
    with pytest.raises(StackFileError, match="outside of the repository"):
        StackFiles(inner, "clusters").profile("prod")
    subprocess.run(["git", "init", "--quiet"], check=True)
    assert StackFiles(inner, "clusters").profile("prod") == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("below", "above", "line"),
    [
        ("mtu: 9k", "", "clusters/bases/b.yaml:1: mtu = 9k: it does not belong here"),
        ("", "nodes: 8", "clusters/prod.yaml:2: nodes = 8: "),
        ("gpuOperatr: {}", "", "clusters/bases/b.yaml:1: gpuOperatr = {}: unknown key; did you mean gpuOperator?"),
        (
            "pools:\n  - name: a\n    nodes: x",
            "pools:\n  - name: a\n    shape: l40s",
            "clusters/bases/b.yaml:3: pools[0].nodes = x",
        ),
        (
            "pools:\n  - name: a\n    nodes: 1",
            "pools:\n  - name: a\n    nodes: x",
            "clusters/prod.yaml:4: pools[0].nodes = x",
        ),
    ],
)
def test_a_fault_is_told_with_the_file_in_which_it_stands(
    write: Write, capsys: pytest.CaptureFixture[str], below: str, above: str, line: str
) -> None:
    write(bases__b=below, prod=f"base: bases/b.yaml\n{above}\n")
    assert main(["plan", "prod"]) == 2
    assert any(one.startswith(line) for one in capsys.readouterr().err.splitlines())


def test_two_profiles_of_one_base_may_not_share_its_name(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write(bases__b=WHOLE, prod="base: bases/b.yaml\n", staging="base: bases/b.yaml\n")
    assert main(["plan", "prod"]) == 2
    assert "clusters/staging.yaml is the cluster of that name" in capsys.readouterr().err


def test_show_prints_yaml_that_is_the_same_profile_with_every_origin(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    files = write(bases__b=WHOLE, prod="base: bases/b.yaml\nname: eu\n")
    assert main(["profile", "show", "prod"]) == 0
    text = capsys.readouterr().out
    assert yaml.safe_load(text) == files.profile("prod")
    assert text.splitlines()[0].split() == ["name:", "eu", "#", "clusters/prod.yaml:2"]
    assert max(map(len, text.splitlines())) == 80


def test_show_for_machines_has_values_and_origins_by_key_and_no_secret(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write(bases__b="a: [{name: x, n: 1}]\n", prod="base: bases/b.yaml\na:\n  - name: x\n    token: hunter2\n")
    assert main(["profile", "show", "prod", "--json"]) == 0
    text = capsys.readouterr().out
    assert "hunter2" not in text
    shown = json.loads(text)
    assert shown["values"] == {"a[0].name": "x", "a[0].n": 1, "a[0].token": "[secret]"}
    assert shown["origins"]["a[0].n"] == {"file": "clusters/bases/b.yaml", "line": 1}
    assert shown["origins"]["a[0].token"] == {"file": "clusters/prod.yaml", "line": 4}


def test_migrate_writes_new_names_into_the_bases_too(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        renamed, "RENAMED", (Renaming("gpu", "gpuOperator", "0.2"), Renaming("net", "networkOperator", "0.2"))
    )
    write(bases__b="gpu: {} # ours\n", prod="base: bases/b.yaml\nnet: {}\n")
    assert main(["migrate", "prod", "--check"]) == 1
    assert main(["migrate", "prod"]) == 0
    assert Path("clusters/bases/b.yaml").read_text() == "gpuOperator: {} # ours\n"
    assert Path("clusters/prod.yaml").read_text() == "base: bases/b.yaml\nnetworkOperator: {}\n"


def test_the_program_under_the_engine_reads_the_bases_that_the_engine_does_not_know(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pulumi

    from bedplate import program

    write(bases__b=WHOLE, prod="base: bases/b.yaml\nname: eu\n")
    stated = {"base": "bases/b.yaml", "name": "eu"}
    seen: list[Any] = []
    monkeypatch.setattr(pulumi, "get_stack", lambda: "prod")
    monkeypatch.setattr(pulumi.Config, "get_object", lambda *_: stated)
    monkeypatch.setattr(program, "providers", lambda _: [])

    def deploy(profile: Any, _: object) -> Cluster:
        seen.append(profile)
        return Cluster(None, (), {}, {})

    monkeypatch.setattr(program, "deploy", deploy)
    program.declare()
    assert [profile.name for profile in seen] == ["eu"]


@pytest.mark.parametrize("name", ["bases", "extends", "imports"])
def test_what_other_tools_call_a_base_is_told(write: Write, capsys: pytest.CaptureFixture[str], name: str) -> None:
    write(prod=f"{name}: bases/b.yaml\n")
    assert main(["plan", "prod"]) == 2
    assert f"{name} = bases/b.yaml: unknown key; did you mean base?" in capsys.readouterr().err


def test_a_quote_that_ends_at_the_next_one_is_told_where_it_begins(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write(prod="name: 'prod\nplatform: eks\ncontext: 'a'\n")
    assert main(["plan", "prod"]) == 2
    assert "line 1: a quote that is not closed; close it" in capsys.readouterr().err
    write(prod="name: prod\n platform: eks\ncontext: a\nnodes:\n  a: 1\n b: 1\n")
    assert main(["plan", "prod"]) == 2
    assert "is not YAML: line " in capsys.readouterr().err


def test_a_file_beside_a_profile_that_cannot_be_read_is_named_by_its_key(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write(prod=f"{WHOLE}\nhardware: {{file: nope.yaml}}\n")
    assert main(["plan", "prod"]) == 2
    assert "hardware.file = nope.yaml: nope.yaml: cannot be read" in capsys.readouterr().err


def test_all_addresses_need_their_prefix(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write(prod="tenancy: {teams: [{name: a, group: b, egress: [0.0.0.0]}]}\n")
    assert main(["plan", "prod"]) == 2
    assert "egress[0] = 0.0.0.0: without a prefix it is a single address, which nobody has; write 0.0.0.0/0" in (
        capsys.readouterr().err
    )
