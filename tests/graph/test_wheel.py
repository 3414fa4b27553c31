"""The wheel, as somebody has it who never saw the checkout: below one name, and whole."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate import wheel
from tests.rooms import ROOT

EXTRAS = ("pulumi-aws", "pulumi-gcp", "cryptography")
PROFILE = ROOT / "tests" / "profiles" / "l40s-lab.yaml"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what an installer would unpack."""
    folder = tmp_path_factory.mktemp("wheel")
    name = wheel.build_wheel(str(folder))
    with zipfile.ZipFile(folder / name) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def bedplate(installed: Path, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "bedplate", *words]
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_every_package_of_the_checkout_is_in_the_wheel(installed: Path) -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"bench", "tests", "bedplate"}
    assert {path.parent.name for path in (installed / "bedplate" / "house").glob("*/__init__.py")} == packages


def test_nothing_generic_lands_on_the_path_of_others(installed: Path) -> None:
    assert sorted(path.name for path in installed.iterdir()) == ["bedplate", wheel.INFO]
    names = {path.name for path in (installed / "bedplate").iterdir()}
    assert names & {"plan", "components", "stacks", "policies", "lab"} == set()


def test_no_module_of_it_imports_a_generic_name(installed: Path) -> None:
    code = "import sys; sys.path = [p for p in sys.path if p]\nfrom bedplate.house.plan.__main__ import main\nmain(['lab'])\n"
    code += "assert not {'plan', 'components', 'stacks', 'policies', 'lab'} & set(sys.modules), 'generic'"
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, cwd=installed, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_a_checkout_and_its_wheel_plan_the_same(installed: Path, tmp_path: Path) -> None:
    command = ("plan", "onprem-h100-roce", "--json")
    ours = subprocess.run([sys.executable, "-m", "bedplate", *command], cwd=ROOT, capture_output=True, check=True)
    assert declared(bedplate(installed, tmp_path, *command).stdout) == declared(ours.stdout)


def declared(printed: str | bytes) -> dict[str, Any]:
    """By URN, since neighbours that do not wait for each other come in any order; providers of ours are pickled."""
    resources = json.loads(printed)["resources"]
    return {one["urn"]: one["inputs"] | {"__provider": ""} for one in resources}


def test_from_an_empty_folder_a_profile_is_planned_and_its_manifests_are_checked(
    installed: Path, tmp_path: Path
) -> None:
    (tmp_path / "prod.yaml").write_text(PROFILE.read_text())
    done = bedplate(installed, tmp_path, "plan", "--profile", "prod.yaml", "--out", "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert bedplate(installed, tmp_path, "check", "out/manifests", "--profile", "prod.yaml").returncode == 0


def test_from_an_empty_folder_a_job_is_rendered_for_a_profile(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text((ROOT / "examples" / "jobs" / "trainjob.yaml").read_text())
    done = bedplate(installed, tmp_path, "job", "render", "job.yaml", "--stack", "onprem-h100-roce")
    assert done.returncode == 0
    assert "TrainJob" in [one["kind"] for one in yaml.safe_load_all(done.stdout)]


def test_two_wheels_of_one_checkout_are_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, two = (tmp_path / folder / wheel.build_wheel(str(tmp_path / folder)) for folder in ("a", "b"))
    assert one.read_bytes() == two.read_bytes()


def test_the_clouds_sdks_and_what_signs_are_extras(installed: Path) -> None:
    lines = (installed / wheel.INFO / "METADATA").read_text().split("\n\n")[0].splitlines()
    needed = [line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist: ")]
    assert [one for one in needed if "extra ==" in one and not one.startswith(EXTRAS)] == []
    assert not any(one.startswith((*EXTRAS, "pytest", "boto")) for one in needed if "extra" not in one)


def test_a_cloud_without_its_sdk_is_one_line_with_the_command(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "pulumi_aws.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'pulumi_aws'\", name='pulumi_aws')"
    )
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{installed}"}
    command = [sys.executable, "-P", "-m", "bedplate", "plan", "eks-p5"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.endswith(
        "cloud.kind = aws: the SDK of this cloud is not installed (pulumi_aws); "
        "install it: pip install 'bedplate[aws]'\n"
    )
    assert done.stderr.count("\n") == 1
