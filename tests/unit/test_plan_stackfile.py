"""The configuration that a program sees, from the files alone."""

import json
from pathlib import Path

import pytest

from bedplate.plan.errors import PlanError
from bedplate.plan.stackfile import Project, configure, load_configuration, load_project
from bedplate.plan.wire import MASK
from bedplate.wrong import WrongError

PULUMI_YAML = """
name: house
runtime: python
stackConfigDir: stacks
config:
  size: {type: integer, default: 3}
  short: just a default
  owner: {type: string, description: who to call}
  token: {type: string, secret: true}
"""


def project(folder: Path, **stacks: str) -> Project:
    (folder / "Pulumi.yaml").write_text(PULUMI_YAML)
    (folder / "stacks").mkdir()
    for name, text in stacks.items():
        (folder / "stacks" / f"Pulumi.{name}.yaml").write_text(text)
    return load_project(folder)


def test_structured_values_become_json_and_defaults_apply(tmp_path: Path) -> None:
    stack = "config: {house:owner: me, house:profile: {pools: [1, null, 0.5]}, pulumi:tags: {a: b}}"

    values = load_configuration(project(tmp_path, dev=stack), "dev").values

    assert json.loads(values["house:profile"]) == {"pools": [1, None, 0.5]}
    assert (values["house:owner"], values["house:size"], values["house:short"]) == ("me", "3", "just a default")
    assert values["pulumi:tags"] == '{"a": "b"}'


def test_a_secret_that_is_declared_and_not_set_is_missing_with_a_placeholder(tmp_path: Path) -> None:
    configuration = load_configuration(project(tmp_path, dev="config: {house:owner: me}"), "dev")

    assert configuration.missing == {"house:token"}
    assert configuration.secret_keys == {"house:token"}
    assert configuration.values["house:token"] == MASK


def test_encrypted_values_become_placeholders_also_inside_structures(tmp_path: Path) -> None:
    stack = "config: {owner: me, token: {secure: v1:abc}, nested: {deep: [{secure: v1:def}]}}"

    configuration = load_configuration(project(tmp_path, dev=stack), "dev")

    assert configuration.values["house:token"] == MASK
    assert json.loads(configuration.values["house:nested"]) == {"deep": [MASK]}
    assert configuration.secret_keys == {"house:token", "house:nested"}
    assert configuration.missing == frozenset()


def test_a_secret_in_plain_text_is_refused_without_repeating_it(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="house:token: it is a secret and stands in plain text") as caught:
        load_configuration(project(tmp_path, dev="config: {owner: me, token: hunter2}"), "dev")
    assert "hunter2" not in str(caught.value)


def test_a_required_value_without_default_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"stacks/Pulumi.dev.yaml: house:owner: not set, .* no default: who to call"):
        load_configuration(project(tmp_path, dev="config: {}"), "dev")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("config: {a: [}", "Pulumi.dev.yaml: is not YAML: while parsing"),
        ("[1, 2]", "Pulumi.dev.yaml: holds a list where a mapping belongs"),
    ],
)
def test_a_stack_file_that_is_no_configuration_is_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(WrongError, match=message) as caught:
        load_configuration(project(tmp_path, dev=text), "dev")
    assert len(str(caught.value).splitlines()) == 1


def test_a_stack_that_exists_nowhere_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(WrongError, match="known stacks: dev, lab"):
        load_configuration(project(tmp_path, dev="", lab=""), "prod")


def test_plain_values_can_be_secret_by_name(tmp_path: Path) -> None:
    configuration = configure(project(tmp_path), {"house:profile": {"a": 1}}, frozenset({"house:profile"}))

    assert "house:profile" in configuration.secret_keys
    assert configuration.values["house:profile"] == '{"a": 1}'
