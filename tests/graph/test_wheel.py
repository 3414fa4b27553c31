"""The wheel, as somebody has it who never saw the checkout: below one name, and whole."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate import __version__
from tests.rooms import COMMAND, ROOT, folder, rooms
from tests.wheels import SDIST, build

EXTRAS = (
    *("pulumi-aws", "pulumi-gcp", "cryptography", "jsonschema-rs", "kubernetes-validate", "huggingface-hub"),
    *("common-expression-language", "graphlay"),
)
PROFILE = ROOT / "tests" / "profiles" / "l40s-lab.yaml"
INFO = f"bedplate-{__version__}.dist-info"


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="session")
def installed(built: Path) -> Path:
    """A folder with what an installer would unpack."""
    shutil.unpack_archive(built, built.parent / "site", "zip")
    return built.parent / "site"


def bedplate(installed: Path, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "bedplate", *words]
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_every_room_of_the_checkout_is_in_the_wheel_with_each_of_its_modules(installed: Path) -> None:
    shipped = {path.parent.name for path in (installed / "bedplate").glob("*/__init__.py")}
    assert shipped == rooms() - {"bedplate", "bench"}
    for room in shipped:
        modules = {path.relative_to(folder(COMMAND)) for path in (folder(COMMAND) / room).rglob("*.py")}
        assert {
            path.relative_to(installed / "bedplate") for path in (installed / "bedplate" / room).rglob("*.py")
        } == modules


def test_the_pages_are_in_the_wheel_and_messages_name_the_command_that_shows_them(
    installed: Path, tmp_path: Path
) -> None:
    listed = subprocess.run(["git", "ls-files", "docs"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert [path for path in listed.split() if not (installed / "bedplate" / path).is_file()] == []
    assert bedplate(installed, tmp_path, "docs", "UPGRADING").stdout.startswith("# Upgrading")
    (tmp_path / "prod.yaml").write_text("name: prod\n")
    done = bedplate(installed, tmp_path, "plan", "prod.yaml")
    assert done.returncode == 2
    assert "(`bedplate docs profile` has every key)" in done.stderr
    assert "docs/profile.md" not in done.stderr


def test_a_checkout_and_its_wheel_judge_by_the_same_sources(installed: Path) -> None:
    code = "from bedplate.evidence.gather import rules; print(rules()['sha256'])"
    says = [
        subprocess.run(
            [sys.executable, "-P", "-c", code],
            env={**os.environ, "PYTHONPATH": str(place)},
            capture_output=True,
            check=True,
        ).stdout
        for place in (ROOT, installed)
    ]
    assert says[0] == says[1] != b""


def test_nothing_generic_lands_on_the_path_of_others(installed: Path) -> None:
    assert sorted(path.name for path in installed.iterdir()) == ["bedplate", INFO]


@pytest.mark.parametrize("form", ["a checkout", "a wheel"])
def test_no_module_of_ours_is_loaded_by_a_second_name(form: str, installed: Path) -> None:
    """A class that is loaded twice is not itself: the bare names of the checkout's top folders are nobody's."""
    place = {"a checkout": ROOT, "a wheel": installed}[form]
    code = (
        "import os, sys; from bedplate.cli import main; main(['plan', 'lab']); "
        f"ours = os.path.realpath({str(place)!r}) + os.sep; "
        "files = [(os.path.realpath(m.__file__), n) for n, m in list(sys.modules.items()) if getattr(m, '__file__', None)]; "
        "names = [n for f, n in files if f.startswith(ours) and 'site-packages' not in f and n != '__main__']; "
        "print(*[n for n in names if n.partition('.')[0] != 'bedplate'], len(names), file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": str(place)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=place, env=environment, capture_output=True, text=True, check=True
    )
    assert int(done.stderr) > 200, "and these are all by one name"


def test_what_lies_in_the_folders_and_is_not_of_git_is_not_shipped(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(checkout)], check=True)
    example = (ROOT / "stacks" / "Pulumi.lab.yaml").read_text()
    for path in (
        "stacks/Pulumi.acme.yaml",
        "components/scratch.key",
        "bedplate/plan/report.py~",
        "stacks/Pulumi.kept.yaml",
    ):
        (checkout / path).write_text(example)
    subprocess.run(["git", "add", "stacks/Pulumi.kept.yaml"], cwd=checkout, check=True)
    shipped = {path.rpartition("/")[2] for path in names(build("wheel", tmp_path, checkout))}
    with tarfile.open(build("sdist", tmp_path, checkout)) as archive:
        shipped |= {path.rpartition("/")[2] for path in archive.getnames()}
    assert {"Pulumi.lab.yaml", "report.py", "profile.schema.json"} <= shipped
    assert not {"Pulumi.acme.yaml", "Pulumi.kept.yaml", "scratch.key", "report.py~"} & shipped


def test_the_examples_are_shipped_each_by_its_name(built: Path) -> None:
    """A fork may keep its own clusters beside them."""
    listed = subprocess.run(
        ["git", "ls-files", "stacks/Pulumi.*"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    shipped = {path for path in names(built) if path.endswith(".yaml") and "/stacks/" in path}
    assert shipped == {f"bedplate/project/{path}" for path in listed.stdout.split()}


def test_an_sdist_makes_the_same_wheel_as_its_checkout(built: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(build("sdist", tmp_path), tmp_path, filter="data")
    source = tmp_path / SDIST.removesuffix(".tar.gz")
    (source / "bedplate" / ".env").write_text("somebody's own")
    made = build("wheel", tmp_path, source)
    assert made.read_bytes() == built.read_bytes()


def test_a_checkout_and_its_wheel_plan_the_same(installed: Path, tmp_path: Path) -> None:
    command = ("plan", "onprem-h100-roce", "--json")
    ours = subprocess.run([sys.executable, "-m", "bedplate", *command], cwd=ROOT, capture_output=True, check=True)
    assert declared(bedplate(installed, tmp_path, *command).stdout) == declared(ours.stdout)


def declared(printed: str | bytes) -> dict[str, Any]:
    """By URN, since neighbours that do not wait for each other come in any order."""
    return {one["urn"]: one["inputs"] for one in json.loads(printed)["resources"]}


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


def test_a_company_imports_by_one_name_what_the_checkout_has_by_it(installed: Path, tmp_path: Path) -> None:
    code = "from bedplate import deploy; from bedplate.components.crds import ChartCrds; from bedplate.stacks.load import load"
    for place in (ROOT, installed):
        environment = {**os.environ, "PYTHONPATH": str(place)}
        subprocess.run([sys.executable, "-P", "-c", code], cwd=tmp_path, env=environment, check=True)


def test_two_wheels_of_one_checkout_are_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, two = (build("wheel", tmp_path / folder) for folder in ("a", "b"))
    assert one.read_bytes() == two.read_bytes()


def test_the_clouds_sdks_and_what_signs_are_extras(installed: Path) -> None:
    lines = (installed / INFO / "METADATA").read_text().split("\n\n")[0].splitlines()
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
