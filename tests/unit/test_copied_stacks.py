"""What an editor's eye misses in a stack file: a key twice, a key in Python's spelling, another cluster's name."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.stacks.jobs.checks import load_job
from bedplate.stacks.load import load
from bedplate.stacks.profile.copies import refuse_copies
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.stack_file import PROFILE_KEY, StackFileError, StackFiles
from tests.stack_files import document, known


def written(folder: Path, stack: str, text: str) -> StackFiles:
    (folder / "stacks").mkdir(exist_ok=True)
    (folder / "stacks" / f"Pulumi.{stack}.yaml").write_text(text)
    return StackFiles(folder)


def stack_file(profile: dict[str, Any]) -> str:
    return yaml.safe_dump({"config": {PROFILE_KEY: profile}})


def test_a_key_that_stands_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    files = written(
        tmp_path, "twice", f"config:\n  {PROFILE_KEY}:\n    nfd: {{}}\n    name: a\n    nfd: {{version: 1}}\n"
    )
    with pytest.raises(StackFileError, match="nfd stands twice, in line 3 and in line 5"):
        files.profile("twice")


def test_what_is_merged_from_an_anchor_may_be_overridden(tmp_path: Path) -> None:
    text = f"shared: &shared {{name: a, context: b}}\nconfig:\n  {PROFILE_KEY}:\n    <<: *shared\n    name: c\n"
    assert written(tmp_path, "merged", text).profile("merged") == {"name": "c", "context": "b"}


def test_a_key_in_snake_case_is_unknown_and_its_spelling_is_told() -> None:
    profile = document("lab")
    profile["node_os"] = profile.pop("nodeOs")
    with pytest.raises(ProfileError, match=r"node_os"):
        load(profile)
    job = {"name": "a", "team": "research", "kind": "Job", "image": "a:1", "script": ["a.py"], "max_restarts": 2}
    with pytest.raises(ProfileError, match=r"max_restarts"):
        load_job(job, known("lab"))


@pytest.mark.parametrize("service", ["10.96.0.0/12", "10.100.0.0/16"])
def test_pods_and_services_share_no_addresses(service: str) -> None:
    networks = {"podCidr": "10.100.0.0/16", "serviceCidr": service}
    with pytest.raises(
        ProfileError, match=r"clusterNetwork.podCidr = 10.100.0.0/16: overlaps clusterNetwork.serviceCidr"
    ):
        load(document("lab") | {"clusterNetwork": networks})


def test_a_copied_stack_file_may_not_keep_the_name_of_the_others_cluster(tmp_path: Path) -> None:
    files = written(tmp_path, "eks-p5", stack_file(document("eks-p5")))
    written(tmp_path, "mine", stack_file(document("eks-p5")))
    written(tmp_path, "far", stack_file(document("lab") | {"context": "eks-p5"}))
    profile = load(document("eks-p5"))
    with pytest.raises(
        ProfileError, match=r"Pulumi.mine.yaml:[0-9]+: name = eks-p5: stacks/Pulumi.eks-p5.yaml is the cluster of"
    ):
        refuse_copies(profile, "mine", files)
    renamed = document("lab") | {"name": "mine"}
    written(tmp_path, "mine", stack_file(renamed))
    refuse_copies(load(renamed), "mine", files)
    refuse_copies(profile, "no-file", files)


def test_the_stack_that_makes_a_cluster_and_the_one_that_deploys_on_it_share_a_name(tmp_path: Path) -> None:
    making = document("eks-p5")
    making["cloud"] = making["cloud"] | {"cluster": {"create": {"vpc": "vpc-1", "zones": ["us-east-2a"]}}}
    files = written(tmp_path, "eks-p5-cluster", stack_file(making))
    written(tmp_path, "eks-p5", stack_file(document("eks-p5")))
    refuse_copies(load(document("eks-p5")), "eks-p5", files)
