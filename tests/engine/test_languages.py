"""Programs in YAML, Go and TypeScript on a real engine: the same resources as in Python, by the same names."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.component import CLUSTER
from bedplate.component_schema import package_schema
from bedplate.lab.cluster import Cluster
from bedplate.lab.engine import STACK, Engine, lab_profile
from bedplate.stacks.profile.stack_file import PROFILE_KEY
from tests.rooms import ROOT

EXAMPLES = ROOT / "examples" / "languages"
SDK_MODULE = "module example.com/pulumi-bedplate/sdk/go/bedplate\n\ngo 1.25.0\n"


def needs(*names: str) -> None:
    for name in names:
        if shutil.which(name) is None:
            pytest.skip(f"no {name} on the PATH")


def program(engine: Engine, language: str) -> Engine:
    """The example of a language in the place of the Python program; stack, configuration and state stay."""
    folder = engine.folder.parent / language
    shutil.copytree(EXAMPLES / language, folder)
    shutil.copytree(EXAMPLES / "package", folder.parent / "package", dirs_exist_ok=True)
    python = environment(folder.parent / "package" / "venv")
    config = yaml.safe_load(engine.stack_file.read_text())
    del config["config"][PROFILE_KEY]
    config["config"]["context"] = engine.cluster.context
    if mirror := os.environ.get("BEDPLATE_CHART_MIRROR"):
        config["config"]["mirror"] = mirror
        text = (folder / "Pulumi.yaml").read_text()
        (folder / "Pulumi.yaml").write_text(
            text.replace("        nfd: {}", f"        charts: {{mirror: {mirror}}}\n        nfd: {{}}")
        )
    (folder / f"Pulumi.{STACK}.yaml").write_text(yaml.safe_dump(config))
    # The backend stays where it was: a folder of the other project.
    variables = {"PULUMI_BACKEND_URL": engine.backend, "PULUMI_PYTHON_CMD": str(python)}
    return replace(engine, folder=folder, environment=variables)


def environment(folder: Path) -> Path:
    """What `pulumi package add` would install from the index, by links: everything that these tests run on."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "bedplate.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT}\n")
    return folder / "bin" / "python"


def previewed(engine: Engine) -> dict[str, Mapping[str, Any]]:
    """Every step of a preview, by the URN of its resource."""
    said = json.loads(engine.run("preview", "--json", "--stack", STACK))
    return {step["urn"]: step for step in said["steps"] if "pulumi:pulumi:Stack" not in step["urn"].split("::")[2]}


def sdk(engine: Engine, language: str, folder: Path, *options: str) -> Path:
    """What `pulumi package add` generates from the profile's schema."""
    schema = folder / "bedplate.json"
    schema.write_text(json.dumps(package_schema()))
    words = ("package", "gen-sdk", str(schema), "--language", language, "--out", str(folder / "sdk"))
    engine.run(*words, *options)
    return folder / "sdk" / language


def example(cluster: Cluster) -> dict[str, Any]:
    """The profile that both examples state."""
    stated = yaml.safe_load((EXAMPLES / "yaml" / "Pulumi.yaml").read_text())
    mirror = os.environ.get("BEDPLATE_CHART_MIRROR")
    charts = {"charts": {"mirror": mirror}} if mirror else {}
    return {**stated["resources"]["cluster"]["properties"]["profile"], **charts, "context": cluster.context}


def the_same(engine: Engine, other: Engine) -> None:
    engine.configure(example(engine.cluster))
    ours, theirs = previewed(engine), previewed(other)
    assert [urn for urn in theirs if urn not in ours] == [f"urn:pulumi:lab::bedplate::{CLUSTER}::cluster"]
    assert ours.keys() <= theirs.keys()
    for urn, step in ours.items():
        one, another = step["newState"], theirs[urn]["newState"]
        assert one.get("inputs") == another.get("inputs"), urn
        assert set(one.get("dependencies") or ()) == set(another.get("dependencies") or ()), urn


def test_a_program_in_yaml_declares_what_one_in_python_does(engine: Engine) -> None:
    needs("pulumi-language-yaml")
    the_same(engine, program(engine, "yaml"))


def test_a_program_in_go_declares_what_one_in_python_does(engine: Engine, tmp_path: Path) -> None:
    needs("pulumi-language-go", "go")
    made = program(engine, "go")
    shutil.copytree(sdk(made, "go", tmp_path) / "bedplate", made.folder / "sdks" / "bedplate")
    (made.folder / "sdks" / "bedplate" / "go.mod").write_text(SDK_MODULE)
    built = subprocess.run(
        ["go", "build", "-mod=mod", "-o", "program", "."], cwd=made.folder, capture_output=True, text=True, check=False
    )
    if "dial tcp" in built.stderr or "no such host" in built.stderr:
        pytest.skip("Go's modules are out of reach")
    assert built.returncode == 0, built.stderr
    stated = yaml.safe_load((made.folder / "Pulumi.yaml").read_text())
    stated["runtime"] = {"name": "go", "options": {"binary": "./program"}}
    (made.folder / "Pulumi.yaml").write_text(yaml.safe_dump(stated))
    the_same(engine, made)


def test_a_program_in_typescript_passes_the_compiler_and_declares_what_one_in_python_does(
    engine: Engine, tmp_path: Path
) -> None:
    needs("pulumi-language-nodejs", "node", "npm")
    made = program(engine, "typescript")
    shutil.copytree(sdk(made, "nodejs", tmp_path, "--local"), made.folder / "sdks" / "bedplate")
    got = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund"], cwd=made.folder, capture_output=True, text=True, check=False
    )
    if "ENOTFOUND" in got.stderr or "EAI_AGAIN" in got.stderr:
        pytest.skip("npm's packages are out of reach")
    assert got.returncode == 0, got.stderr
    checked = subprocess.run(["npx", "tsc", "-p", "."], cwd=made.folder, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
    the_same(engine, made)


def test_a_cluster_that_python_made_is_left_as_it_is_by_yaml(deployed: Engine) -> None:
    needs("pulumi-language-yaml")
    made = program(deployed, "yaml")
    stated = yaml.safe_load((made.folder / "Pulumi.yaml").read_text())
    profile = {**lab_profile(), "context": deployed.cluster.context}
    stated["resources"]["cluster"]["properties"]["profile"] = profile
    (made.folder / "Pulumi.yaml").write_text(yaml.safe_dump(stated))
    changed = {urn: step["op"] for urn, step in previewed(made).items() if step["op"] != "same"}
    assert changed == {f"urn:pulumi:lab::bedplate::{CLUSTER}::cluster": "create"}
    made.run("up", "--yes", "--skip-preview", "--stack", STACK)
    assert json.loads(made.run("stack", "output", "--json", "--stack", STACK)) == {
        "workloadContract": "bedplate-workload-contract"
    }


def test_a_fault_is_told_with_the_property_that_has_it(engine: Engine) -> None:
    needs("pulumi-language-yaml")
    made = program(engine, "yaml")
    file = made.folder / "Pulumi.yaml"
    file.write_text(file.read_text().replace("shape: dgx-h100", "shape: dgx-h10"))
    done = subprocess.run(
        made.command("preview", "--stack", STACK), env=made.variables, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "pools[1].shape" in done.stdout + done.stderr
    assert "dgx-h100" in done.stdout + done.stderr
