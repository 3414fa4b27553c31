"""What fits, in one line for each pool, job and server: memory, queue and fabric, as far as the profile says them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.cli import main
from bedplate.components.workload.job import TrainingJob
from bedplate.plan.fit import Line, lines, of_job
from bedplate.plan.markdown import markdown
from bedplate.plan.report import report
from bedplate.plan.summary import summary
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.stack_files import STACKS, graph, known, profile
from tests.unit.checks.case import GONE, edited

PROFILES = Path(__file__).parents[1] / "profiles"
JOB = """name: pretrain
team: research
kind: JobSet
image: example.com/pytorch:1
script: [train.py]
nodes: 4
"""


def of(stack: str, changes: dict[str, Any] | None = None) -> dict[tuple[str, str], Line]:
    one = load(edited(stack, changes)) if changes else profile(stack)
    return {(line.kind, line.name): line for line in lines(one, facts(one) if changes else known(stack))}


def test_a_pool_has_its_memory_its_quotas_and_its_fabric() -> None:
    pool = of("onprem-h100-roce")["pool", "h100"]
    assert pool.memory == "8 × 8 GPUs of 80 GiB, 5.0 TiB in all; a node gives pods 222 CPUs and 2.0 TiB"
    assert pool.queue == "quotas 64 of 64 GPUs (research 40, serving 24)"
    assert pool.fabric == "roce, 8 NICs of 400 Gb/s for 8 GPUs, 440 GB/s or more over two nodes"
    assert pool.text == f"{pool.memory}; {pool.queue}; {pool.fabric}"


def test_slices_are_counted_as_the_queues_count_them_and_not_the_gpus_that_they_are_cut_from() -> None:
    one = load(yaml.safe_load((PROFILES / "a100-mig-beside-training.yaml").read_text(encoding="utf-8")))
    [pool] = [line for line in lines(one, facts(one)) if line.name == "slices"]
    assert pool.queue == "quotas 160 of 160 slices (research 80, notebooks 80)"


def test_a_server_has_its_weights_its_cache_and_its_part_of_the_queue() -> None:
    server = of("onprem-h100-roce")["server", "llama-70b"]
    assert server.memory == "weights 35.3 of 76.5 GB a GPU, the rest holds 51 requests of 8192 tokens at once"
    assert server.queue == "24 GPUs, of serving's 24 of h100"
    assert server.fabric == "within a node"


def test_a_server_on_one_gpu_has_no_fabric_and_without_queues_the_whole_pool() -> None:
    server = of("inference-l40s")["server", "llama-8b"]
    assert (server.queue, server.fabric) == ("16 of the 32 GPUs of l40s", "")
    assert not server.text.endswith("; ")


def test_the_plans_own_job_is_among_them_and_not_where_nodes_are_qualified_instead() -> None:
    job = of("onprem-h100-ib")["job", "nccl-verification"]
    assert job.queue == "16 GPUs, of pretraining's 96 of h100"
    assert job.fabric.startswith("infiniband, 8 NICs of 400 Gb/s for 8 GPUs")
    assert ("job", "nccl-verification") not in of("onprem-h100-roce")


def test_slices_are_counted_as_slices_and_a_pool_without_nics_has_no_fabric() -> None:
    pool = of("inference-l40s")["pool", "a100-mig"]
    assert pool.fabric == "no fabric"
    assert "quotas" in pool.queue


def test_what_is_not_known_is_left_out() -> None:
    shape = {"gpu": "H100", "gpus": 8, "cpus": 64, "memoryGib": 512, "fabrics": ["roce"], "nics": 8}
    pool = of("onprem-h100-roce", {"pools.1.shape": shape, "serving": GONE})["pool", "h100"]
    assert "over two nodes" not in pool.fabric


@pytest.mark.parametrize("stack", STACKS)
def test_every_pool_with_gpus_and_every_server_has_its_line_in_every_form(stack: str) -> None:
    brief = summary(graph(stack))
    found = {(one["kind"], one["name"]) for one in brief["sizing"]["fit"]}
    servers = profile(stack).serving
    wanted = {("pool", pool.name) for pool in known(stack).gpu_pools}
    wanted |= {("server", one.name) for one in (servers.servers if servers else ())}
    assert wanted <= found
    page = report(graph(stack), brief, {})
    for kind, name in wanted:
        assert f"* {kind} {name}: " in markdown(brief)
        assert f"<li>{kind} <b>{name}</b>: " in page


def test_a_rendered_job_says_what_it_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "job.yaml").write_text(JOB)
    words = ["job", "render", str(tmp_path / "job.yaml"), "--stack", "onprem-h100-roce"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    assert "pretrain: 32 GPUs, of research's 40 of h100; roce, 8 NICs" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["fit"]["queue"] == "32 GPUs, of research's 40 of h100"


def test_a_job_that_borrows_says_so_and_one_of_one_node_needs_no_fabric() -> None:
    job = TrainingJob.model_validate(yaml.safe_load(JOB))
    line = of_job(job.model_copy(update={"nodes": 6}), known("onprem-h100-roce"))
    assert line.queue == "48 GPUs, of research's 40 of h100, the rest borrowed"
    assert of_job(job.model_copy(update={"nodes": 1}), known("onprem-h100-roce")).fabric == ""


def test_a_job_of_several_nodes_where_no_fabric_is_talks_by_tcp_and_the_plan_says_so() -> None:
    job = TrainingJob.model_validate(yaml.safe_load(JOB))
    facts = known("onprem-h100-roce")
    bare = replace(facts, pools=tuple(replace(pool, nics=0) for pool in facts.pools))
    assert of_job(job, bare).fabric == "no fabric: its nodes talk by TCP"
    assert of_job(job.model_copy(update={"nodes": 1}), bare).fabric == ""
