"""The workflows take no more than they need, and run no action that can change under them."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.policies.command.cluster import facts_of
from bedplate.policies.pack import configuration

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"^[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")

MORE = {
    "preview": {"preview": {"contents": "read", "pull-requests": "write"}},
    "release": {
        "attest": {"attestations": "write", "contents": "write", "id-token": "write"},
        "publish": {"id-token": "write"},
        "image": {"attestations": "write", "contents": "read", "id-token": "write", "packages": "write"},
    },
    "releases": {"update": {"contents": "write", "pull-requests": "write"}},
}
"""What a job may do besides reading the code."""


def jobs(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text())["jobs"]


def test_there_are_those_of_review_rollout_and_releases() -> None:
    assert [path.stem for path in WORKFLOWS] == ["ci", "drift", "preview", "release", "releases", "up"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_action_is_pinned_by_commit_with_its_version_beside(path: Path) -> None:
    used = re.findall(r"uses: (.*)$", path.read_text(), re.MULTILINE)
    assert used
    assert [action for action in used if not PINNED.match(action)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_read_the_code_and_a_job_says_what_more_it_needs(path: Path) -> None:
    assert yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"}
    more = {name: job["permissions"] for name, job in jobs(path).items() if "permissions" in job}
    assert more == MORE.get(path.stem, {})


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_job_ends_and_no_checkout_leaves_its_token(path: Path) -> None:
    for job in jobs(path).values():
        assert job["timeout-minutes"] <= 180
        checkouts = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout")]
        assert all(step["with"]["persist-credentials"] is False for step in checkouts)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_secrets_are_only_where_an_environment_guards_them(path: Path) -> None:
    for name, job in jobs(path).items():
        assert ("secrets." in str(job)) <= ("environment" in job), name


def artifacts(job: dict[str, Any]) -> dict[str, str]:
    steps = [step for step in job["steps"] if step.get("uses", "").startswith("actions/upload-artifact")]
    return {step["with"]["name"]: step["with"]["path"] for step in steps}


def test_a_pull_request_keeps_its_difference_and_ci_its_site() -> None:
    folder = ROOT / ".github" / "workflows"
    assert artifacts(jobs(folder / "preview.yml")["preview"])["preview-${{ matrix.environment }}"].split() == [
        "preview.txt",
        "review.md",
        "plan-out/report.html",
    ]
    assert artifacts(jobs(folder / "ci.yml")["check"]) == {"site": "site"}


def test_what_was_merged_is_rolled_out_only_after_ci_was_green_on_that_very_commit() -> None:
    text = (ROOT / ".github" / "workflows" / "up.yml").read_text()
    stated = yaml.safe_load(text)
    assert stated[True] == {"workflow_run": {"workflows": ["ci"], "types": ["completed"], "branches": ["main"]}}
    first = stated["jobs"]["environments"]["if"]
    assert "workflow_run.conclusion == 'success'" in first
    assert "workflow_run.event == 'push'" in first
    assert stated["jobs"]["up"]["needs"] == "environments"
    checkouts = [step for job in stated["jobs"].values() for step in job["steps"] if "checkout" in step.get("uses", "")]
    assert [one["with"]["ref"] for one in checkouts] == ["${{ github.event.workflow_run.head_sha }}"] * 2


def test_a_companys_repository_keeps_the_difference_and_rolls_out_only_what_was_checked() -> None:
    folder = ROOT / "bedplate" / "repository"
    plan = jobs(folder / "preview.yml")["plan"]
    assert artifacts(plan) == {"plan-${{ matrix.environment }}": "out"}
    (diff,) = [step["run"] for step in plan["steps"] if "bedplate diff" in step.get("run", "")]
    (kept,) = [step["run"] for step in plan["steps"] if "bedplate plan" in step.get("run", "")]
    assert diff.endswith("> diff.json")
    assert "--diff diff.json" in kept
    assert plan["steps"][0]["with"]["fetch-depth"] == 0
    up = jobs(folder / "up.yml")
    assert up["up"]["needs"] == "check"
    assert "secrets." not in str(up["check"])
    assert "environment" not in up["check"]
    assert [step["run"].split()[1] for step in up["check"]["steps"][-2:]] == ["plan", "check"]


def test_a_release_is_built_without_rights_and_published_behind_its_reviewers_without_a_secret() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    stated = yaml.safe_load(text)
    assert stated[True] == {"push": {"tags": ["v*"]}}
    assert "secrets." not in text
    assert "permissions" not in stated["jobs"]["build"]
    assert all(job["environment"] == "release" for name, job in stated["jobs"].items() if name != "build")
    assert {name: job.get("needs") for name, job in stated["jobs"].items()} == {
        "build": None,
        "attest": "build",
        "publish": "attest",
        "image": "attest",
    }
    (run,) = [step["run"] for step in stated["jobs"]["build"]["steps"] if "run" in step]
    assert run == '.ci/dist "$GITHUB_REF_NAME"'


def test_a_tag_that_is_not_the_versions_builds_nothing(tmp_path: Path) -> None:
    (tmp_path / "make").write_text("#!/bin/sh\n")
    (tmp_path / "make").chmod(0o755)
    if not (ROOT / ".venv" / "bin" / "python").exists():
        pytest.skip("a checkout without .venv")
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    command = [ROOT / ".ci" / "dist", "v0.0.0"]
    done = subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "v0.0.0: the version of this commit is " in done.stderr


def test_rolling_out_waits_for_the_environments_approval_and_goes_one_at_a_time() -> None:
    up = jobs(ROOT / ".github" / "workflows" / "up.yml")["up"]
    assert up["environment"] == "${{ matrix.environment }}"
    assert up["strategy"]["max-parallel"] == 1
    assert not any("--skip-preview" in step.get("run", "") for step in up["steps"])


@pytest.mark.parametrize("folder", [ROOT / ".github" / "workflows", ROOT / "bedplate" / "repository"])
@pytest.mark.parametrize("name", ["up", "preview", "drift"])
def test_a_cancelled_workflow_asks_bedplate_and_not_the_shell_that_started_it(folder: Path, name: str) -> None:
    """GitHub's runner signals the first process alone (docs.github.com, "Workflow cancellation reference")."""
    steps = [step for job in jobs(folder / f"{name}.yml").values() for step in job["steps"]]
    (run,) = [step["run"] for step in steps if "KUBECONFIG_TEXT" in step.get("env", {})]
    assert run.startswith("exec ")
    assert "\n" not in run.strip()


KUBECONFIG = "contexts: [{{name: onprem-h100-ib}}, {{name: lab}}]\ncurrent-context: {current}\n"


def pulumi(tmp_path: Path, *arguments: str, current: str = "onprem-h100-ib") -> tuple[int, list[str], str]:
    """What `.ci/pulumi` calls the CLI with: status, arguments, and the policies' configuration."""
    for name, text in (
        ("make", "exit 0"),
        ("kubectl", "cat"),  # whatever is asked for is there
        ("pulumi", 'echo "$@" > "$SAID"; for a; do case $a in *.json) cp "$a" "$SAID.json";; esac; done'),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    said = tmp_path / "said"
    variables = {"SAID": str(said), "KUBECONFIG_TEXT": KUBECONFIG.format(current=current), "CI": "true"}
    variables |= {"PULUMI_BACKEND_URL": "file:///state", "PULUMI_CONFIG_PASSPHRASE": ""}
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [".ci/pulumi", *arguments],
        cwd=ROOT,
        env={**os.environ, **variables, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    words = said.read_text().split() if said.exists() else []
    return done.returncode, words, Path(f"{said}.json").read_text() if "--policy-pack" in words else done.stderr


@pytest.mark.parametrize("command", ["preview", "up"])
def test_what_changes_a_cluster_is_judged_with_the_profiles_facts(tmp_path: Path, command: str) -> None:
    status, words, config = pulumi(tmp_path, command, "onprem-h100-ib", "--diff")
    assert status == 0, config
    assert words[:4] == [command, "--stack", "onprem-h100-ib", "--diff"]
    assert words[words.index("--policy-pack") + 1] == "policies"
    assert words[words.index("--policy-pack-config") + 1].endswith(".json")
    assert json.loads(config) == configuration(facts_of("onprem-h100-ib"))


@pytest.mark.parametrize("command", ["preview", "up", "destroy", "refresh", "adopt"])
def test_no_command_reaches_another_cluster_than_the_profiles(tmp_path: Path, command: str) -> None:
    status, words, complaint = pulumi(tmp_path, command, "onprem-h100-ib", current="lab")
    assert (status, words) == (2, [])
    assert "the kubeconfig's current context is lab" in complaint


def test_workflows_and_people_take_the_same_way() -> None:
    texts = [path.read_text() for path in (*WORKFLOWS, ROOT / "Makefile", ROOT / "README.md")]
    assert not any("--policy-pack" in text or re.search(r"(?<!\.ci/)pulumi (up|preview)\b", text) for text in texts)
    assert sum(".ci/pulumi" in text for text in texts) == 5


def environments(**variables: str) -> list[str]:
    done = subprocess.run(
        [".ci/environments"], cwd=ROOT, env={**os.environ, **variables}, capture_output=True, check=True
    )
    return json.loads(done.stdout)


def test_the_environments_are_those_of_the_variable_and_none_by_default() -> None:
    assert environments(BEDPLATE_ENVIRONMENTS="") == []
    assert environments(BEDPLATE_ENVIRONMENTS='["prod", "dev"]') == ["prod", "dev"]
    assert environments(BEDPLATE_ENVIRONMENTS="eks-p5 onprem-h100-ib") == ["eks-p5", "onprem-h100-ib"]


def test_a_preview_becomes_one_comment_that_is_renewed(tmp_path: Path) -> None:
    gh = tmp_path / "gh"
    gh.write_text(
        '#!/bin/sh\necho "$@" >> "$CALLS"\ncase "$*" in *--paginate*) echo "$BEFORE";; *) cp "${6#body=@}" "$CALLS.body";; esac\n'
    )
    gh.chmod(0o755)
    (tmp_path / "preview.txt").write_text("+ Namespace research\n")
    for before, method in (("", "POST repos/o/r/issues/7/comments"), ("42", "PATCH repos/o/r/issues/comments/42")):
        calls = tmp_path / f"calls{before}"
        variables = {"CALLS": str(calls), "BEFORE": before, "GITHUB_REPOSITORY": "o/r", "NUMBER": "7"}
        path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
        command = [ROOT / ".ci" / "comment", "eks-p5", "preview.txt"]
        subprocess.run(command, cwd=tmp_path, env={**os.environ, **variables, "PATH": path}, check=True)
        assert method in calls.read_text()
        body = Path(f"{calls}.body").read_text()
        assert body.startswith("<!-- bedplate preview eks-p5 -->")
        assert "+ Namespace research" in body


@pytest.mark.parametrize("rows", [3, 3000])
def test_the_comment_says_first_what_the_change_does_to_the_running_cluster(rows: int, tmp_path: Path) -> None:
    gh = tmp_path / "gh"
    gh.write_text('#!/bin/sh\ncase "$*" in *--paginate*) ;; *) cp "${6#body=@}" body;; esac\n')
    gh.chmod(0o755)
    (tmp_path / "preview.txt").write_text("```\n# approved\n````\n" + "+ Namespace research\n" * rows)
    table = "| nothing | update ConfigMap settings | pods read it when they start |\n" * rows
    head = "### What this does to the running cluster\n\n**1 × loses quota**\n\n"
    folded = f"<details><summary>quiet</summary>\n\n{table}\n</details>\n"
    (tmp_path / "review.md").write_text(f"{head}<details><summary>gates</summary></details>\n{folded}")
    variables = {"GITHUB_REPOSITORY": "o/r", "NUMBER": "7", "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    command = [ROOT / ".ci" / "comment", "eks-p5", "preview.txt", "review.md"]
    subprocess.run(command, cwd=tmp_path, env={**os.environ, **variables}, check=True)
    body = (tmp_path / "body").read_text()
    assert body.index("**1 × loses quota**") < body.index("+ Namespace research")
    assert len(body) < 65_536
    assert [line for line in body.splitlines() if line.startswith("```")] == ["```diff", "```"]
    assert body.count("<details>") == body.count("</details>") == 3


NEWS = """#!/bin/sh
while [ "$1" != --markdown ]; do shift; done
echo "kueue 0.20.0" > "$2"
mkdir -p bedplate/charts/kueue/0.20.0 && echo "$LOOK" > bedplate/charts/2026.12.toml && touch bedplate/charts/kueue/0.20.0/keys.json
exit 1
"""


def git(folder: Path, *words: str) -> str:
    command = ["git", "-C", folder, "-c", "user.name=me", "-c", "user.email=me@example.com", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_new_set_is_one_pull_request_that_is_renewed(tmp_path: Path) -> None:
    home, bin_ = tmp_path / "home", tmp_path / "bin"
    for place, text in (
        (bin_ / "make", "#!/bin/sh\n"),
        (bin_ / "gh", '#!/bin/sh\necho "$@" >> "$CALLS"\ncase "$*" in *list*) echo "$BEFORE";; esac\n'),
        (home / ".venv" / "bin" / "python", NEWS),
        (home / ".ci" / "releases", (ROOT / ".ci" / "releases").read_text()),
    ):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(0o755)
    (home / "renovate.json").write_text("{}")
    (home / ".gitignore").write_text(".venv\n")
    git(tmp_path, "init", "--quiet", "--bare", "origin")
    git(home, "init", "--quiet", "--initial-branch=main")
    git(home, "remote", "add", "origin", str(tmp_path / "origin"))
    for before, verb in (("", "create"), ("7", "edit")):
        git(home, "add", ".")
        git(home, "commit", "--quiet", "--allow-empty", "-m", "all")
        calls = tmp_path / f"calls{before}"
        variables = {"CALLS": str(calls), "BEFORE": before, "GH_TOKEN": "token", "LOOK": verb, "NEWEST": "kueue"}
        environment = {**os.environ, **variables, "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run([home / ".ci" / "releases"], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 1, f"what could not be looked up: {done.stderr}"
        assert f"pr {verb}" in calls.read_text()
        assert git(tmp_path / "origin", "show", "releases/2026.12:bedplate/charts/2026.12.toml") == f"{verb}\n"
        git(home, "reset", "--quiet", "--hard", "HEAD~1")
