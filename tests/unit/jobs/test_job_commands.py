"""`bedplate job submit|list|why|logs|cancel` against a kubectl that answers from files and keeps what it was told."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.components.facts.written import read, written
from bedplate.components.tenancy.access import rules
from bedplate.components.training.render import RENDERERS
from bedplate.components.workload.contract import FACTS_KEY
from bedplate.components.workload.extras import CONFIG_MAP
from bedplate.components.workload.kinds import Kind
from bedplate.jobs.cli import VERBS, main
from bedplate.jobs.submit import render
from tests.stack_files import STACKS, known
from tests.training_jobs import cluster, job, rendered

KUBECTL = """#!{python}
import json, pathlib, sys
here, words = pathlib.Path(__file__).parent, sys.argv[1:]
answers = json.loads((here / "answers.json").read_text())
given = sys.stdin.read() if "-" in words else ""
with (here / "told").open("a") as told:
    told.write(json.dumps([words, given]) + "\\n")
if "--context" in words: words = words[2:]
if "--namespace" in words: words = words[2:]
if words[0] == "api-resources":
    print("\\n".join(answers["kinds"]))
elif words[0] != "get":
    print(words[0], "done")
elif words[2:3] != ["-o"]:
    found = answers["objects"].get(words[1] + "/" + words[2])
    print(json.dumps(found) if found else "")
elif set(words[1].split(",")) & set(answers["forbidden"]):
    sys.exit("Error from server (Forbidden): " + words[1])
else:
    print(json.dumps({"items": [one for kind in words[1].split(",") for one in answers["items"].get(kind, [])]}))
"""
Told = Callable[[], list[tuple[list[str], str]]]
Answers = Callable[..., None]
SET: dict[str, Any] = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "llama", "labels": {"bedplate/job": "llama"}},
}
KINDS = ["jobs.batch", "jobsets.jobset.x-k8s.io", "pods", "poddisruptionbudgets.policy", "workloads.kueue.x-k8s.io"]
WAITS = {
    "metadata": {"name": "jobset-llama-1", "ownerReferences": [{"name": "llama"}]},
    "spec": {"queueName": "research"},
    "status": {
        "conditions": [
            {
                "type": "QuotaReserved",
                "status": "False",
                "reason": "Pending",
                "message": "couldn't assign flavors to pod set node: insufficient unused quota for nvidia.com/gpu in flavor h100, 8 more needed",
            }
        ]
    },
}


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answers:
    """A kubectl on PATH that answers so."""
    (tmp_path / "kubectl").write_text(KUBECTL.replace("{python}", sys.executable))
    (tmp_path / "kubectl").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    def write(items: dict[str, Any] | None = None, forbidden: tuple[str, ...] = (), **objects: Any) -> None:
        named = {key.replace("__", "/"): value for key, value in objects.items()}
        both = {"kinds": KINDS, "items": items or {}, "objects": named, "forbidden": forbidden}
        (tmp_path / "answers.json").write_text(json.dumps(both))

    write()
    return write


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return lambda: [tuple(json.loads(line)) for line in (tmp_path / "told").read_text().splitlines()]


def file(tmp_path: Path, **more: Any) -> str:
    path = tmp_path / "job.yaml"
    path.write_text(yaml.safe_dump(job("JobSet", **more)))
    return str(path)


def contract(stack: str = "onprem-h100-roce") -> dict[str, Any]:
    return {f"configmap__{CONFIG_MAP}": {"data": {FACTS_KEY: written(cluster(stack))}}}


def test_a_job_is_submitted_from_what_stands_in_its_teams_namespace(
    tmp_path: Path, answers: Answers, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(**contract())
    path = file(tmp_path)
    monkeypatch.chdir(tmp_path)  # no repository is near
    assert main(["submit", path, "--context", "prod"]) == 0

    words, given = told()[-1]
    assert words == ["--context", "prod", "--namespace", "research", "apply", "-f", "-"]
    assert json.loads(given)["items"] == rendered(job("JobSet"), cluster("onprem-h100-roce"))


def test_a_dry_run_is_the_api_servers(tmp_path: Path, answers: Answers, told: Told) -> None:
    answers(**contract())
    assert main(["submit", file(tmp_path), "--dry-run"]) == 0
    assert "--dry-run=server" in told()[-1][0]


def test_a_job_that_violates_a_policy_is_not_sent(
    tmp_path: Path, answers: Answers, told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(**contract())
    assert main(["submit", file(tmp_path, env={"NCCL_IB_DISABLE": "1"})]) == 1
    assert "mandatory NCCL-308" in capsys.readouterr().err
    assert not any("apply" in words for words, _ in told())


WRONG = {
    "no contract": ({}, {}, "has no such ConfigMap"),
    "another version's": (
        {f"configmap__{CONFIG_MAP}": {"data": {"contract.json": "{}"}}},
        {},
        "another version of Bedplate",
    ),
    "facts of another shape": (
        {f"configmap__{CONFIG_MAP}": {"data": {FACTS_KEY: "{}"}}},
        {},
        "another version of Bedplate",
    ),
    "there already": ({**contract(), "jobsets.jobset.x-k8s.io__llama": SET}, {}, "there already: cancel it first"),
    "too many nodes": (contract(), {"nodes": 4000}, "or fewer"),
    "an unknown team": (contract(), {"team": "nobody"}, "nobody"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_submitted_is_one_clear_line(
    case: str, tmp_path: Path, answers: Answers, told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    objects, more, said = WRONG[case]
    answers(**objects)
    assert main(["submit", file(tmp_path, **more)]) == 2
    assert said in capsys.readouterr().err
    assert not any("apply" in words for words, _ in told())


def test_without_kubectl_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["list"]) == 2
    assert capsys.readouterr().err.startswith("kubectl: cannot be started")


def test_list_says_of_every_job_why_it_is_where_it_is(answers: Answers, capsys: pytest.CaptureFixture[str]) -> None:
    child = {**SET, "metadata": {"name": "made-by-another", "ownerReferences": [{"name": "x"}]}}
    answers({"jobsets.jobset.x-k8s.io": [SET, child], "workloads.kueue.x-k8s.io": [WAITS]})
    assert main(["list", "-n", "research"]) == 0
    assert capsys.readouterr().out == (
        "llama  JobSet           quota: queue research has too little left: 8 more nvidia.com/gpu of h100 needed\n"
    )


def test_list_says_of_each_job_what_its_own_pods_do(answers: Answers, capsys: pytest.CaptureFixture[str]) -> None:
    def pod(job: str, phase: str) -> dict[str, Any]:
        return {"metadata": {"name": f"{job}-0", "labels": {"bedplate/job": job}}, "status": {"phase": phase}}

    other = {**SET, "metadata": {"name": "other", "labels": {"bedplate/job": "other"}}}
    answers({"jobsets.jobset.x-k8s.io": [SET, other], "pods": [pod("llama", "Running"), pod("other", "Succeeded")]})
    assert main(["list", "-n", "research"]) == 0
    assert capsys.readouterr().out == (
        "llama  JobSet           running: it runs: 1 of 1 pods\n"
        "other  JobSet           finished: all of its pods have ended well\n"
    )


def test_what_the_user_may_not_see_hides_nothing_else(answers: Answers, capsys: pytest.CaptureFixture[str]) -> None:
    answers({"jobsets.jobset.x-k8s.io": [SET], "workloads.kueue.x-k8s.io": [WAITS]}, forbidden=("jobs.batch", "events"))
    assert main(["why", "llama", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cause"] == "quota"


def test_why_of_an_unknown_job_names_those_there_are(answers: Answers, capsys: pytest.CaptureFixture[str]) -> None:
    answers({"jobsets.jobset.x-k8s.io": [SET]})
    assert main(["why", "lama"]) == 2
    assert capsys.readouterr().err == "lama: no such job in this namespace (llama); did you mean llama?\n"


def test_logs_are_of_every_pod(answers: Answers, told: Told) -> None:
    answers({"pods": [{"metadata": {"name": f"llama-{i}"}} for i in range(8)]})
    assert main(["logs", "llama", "-f"]) == 0
    words = told()[-1][0]
    assert words[:4] == ["logs", "-l", "bedplate/job=llama", "--prefix"]
    assert words[words.index("--max-log-requests") + 1] == "8"
    assert "--follow" in words
    assert "--previous" not in words
    assert main(["logs", "llama", "--previous"]) == 0
    words = told()[-1][0]
    assert ("--previous" in words, "--follow" in words) == (True, False)


def test_logs_of_a_job_that_waits_say_why(answers: Answers, capsys: pytest.CaptureFixture[str]) -> None:
    answers({"jobsets.jobset.x-k8s.io": [SET], "workloads.kueue.x-k8s.io": [WAITS]})
    assert main(["logs", "llama"]) == 1
    assert capsys.readouterr().err.startswith("no pods yet. llama: quota: ")


def test_cancel_takes_what_came_with_the_job_and_leaves_its_checkpoints(answers: Answers, told: Told) -> None:
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "llama"}}
    answers({"jobsets.jobset.x-k8s.io": [SET], "poddisruptionbudgets.policy": [budget]})
    assert main(["cancel", "llama", "-n", "research"]) == 0
    words = told()[-1][0]
    assert words[2:5] == ["delete", "--wait=false", "--ignore-not-found"]
    assert words[5:] == ["JobSet.v1alpha2.jobset.x-k8s.io/llama", "PodDisruptionBudget.v1.policy/llama"]


def test_cancel_of_nothing_deletes_nothing(answers: Answers, told: Told) -> None:
    answers()
    assert main(["cancel", "llama"]) == 2
    assert not any("delete" in words for words, _ in told())


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_answers_for_help(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    assert capsys.readouterr().out.startswith(f"usage: bedplate job {verb}")


def test_without_a_verb_it_renders(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.yaml", "--stack", "lab"]) == main(["render", "nowhere.yaml", "--stack", "lab"]) == 2
    assert "nowhere.yaml" in capsys.readouterr().err


@pytest.mark.parametrize("stack", STACKS)
def test_facts_come_back_from_the_config_map_as_they_were(stack: str) -> None:
    text = written(known(stack))
    assert written(read(text)) == text
    assert read(text).pools == known(stack).pools
    assert read(text).fabric == known(stack).fabric
    assert read(text).teams == known(stack).teams


@pytest.mark.parametrize("kind", RENDERERS)
def test_a_job_rendered_from_the_namespace_is_the_profiles_own_and_breaks_no_rule(kind: Kind) -> None:
    facts = cluster("onprem-h100-roce", "volcano" if kind == "VolcanoJob" else "kueue")
    objects, verdicts = render(job(kind), read(written(facts)), "job.yaml")
    assert objects == rendered(job(kind), facts)
    assert [verdict for verdict in verdicts if verdict.severity == "mandatory"] == []


@pytest.mark.parametrize("kind", RENDERERS)
@pytest.mark.parametrize("scheduler", ["kueue", "volcano"])
def test_a_team_may_create_everything_that_its_job_is_made_of(kind: Kind, scheduler: str) -> None:
    if kind == "VolcanoJob" and scheduler != "volcano":
        pytest.skip("the kind is Volcano's own")
    facts = cluster("onprem-h100-roce", scheduler)
    allowed = {
        (group, kind)
        for rule in rules(facts)
        if "create" in rule["verbs"]
        for group in rule["api_groups"]
        for kind in rule["resources"]
    }
    made = rendered(job(kind), facts)
    groups = {(one["apiVersion"].rpartition("/")[0], f"{one['kind'].lower()}s") for one in made}
    assert groups <= allowed


def test_everything_of_a_job_but_its_claim_carries_its_label() -> None:
    state = {"claim": "state", "size": "1Ti", "storageClass": "nfs-csi"}
    made = rendered(job("TrainJob", checkpoint=state), cluster("onprem-h100-roce"))
    assert {one["kind"] for one in made if one["metadata"].get("labels", {}).get("bedplate/job") != "llama"} == {
        "PersistentVolumeClaim"
    }


def test_a_cluster_that_is_not_reached_is_one_line_without_the_log_of_kubectls_tries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kubectl = tmp_path / "kubectl"
    log = 'E1122 11:29:05.977484    2239 memcache.go:265] "Unhandled Error" err="connection refused"'
    refused = "The connection to the server localhost:8080 was refused - did you specify the right host or port?"
    kubectl.write_text(f"#!/bin/sh\necho '{log}' >&2\necho '{log}' >&2\necho '{refused}' >&2\nexit 1\n")
    kubectl.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert main(["list", "-n", "research"]) == 2
    assert capsys.readouterr().err == (
        "the cluster does not answer: The connection to the server localhost:8080 was refused; "
        "name the right kubeconfig in KUBECONFIG\n"
    )


@pytest.mark.parametrize("about", ["llama-2", "llama-2-node-0"])
def test_why_of_a_job_says_nothing_of_another_whose_name_begins_with_its(
    about: str, answers: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    other = {**SET, "metadata": {**SET["metadata"], "name": "llama-2"}}
    event = {
        "kind": "Event",
        "type": "Warning",
        "message": "admission webhook denied the request",
        "metadata": {"name": "e"},
        "involvedObject": {"kind": "Job", "name": about},
    }
    answers({"jobsets.jobset.x-k8s.io": [SET, other], "events": [event]})
    assert main(["why", "llama"]) == 0
    assert "denied" not in capsys.readouterr().out
    assert main(["why", "llama-2"]) == 0
    assert "denied" in capsys.readouterr().out
