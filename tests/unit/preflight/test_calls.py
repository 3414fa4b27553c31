"""The calls are AWS's own, they only read, the shipped policy allows exactly them, and they do not wait for each other."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import boto3
import botocore.session
import pytest
import yaml
from botocore import xform_name
from botocore.validate import ParamValidator
from moto import mock_aws

from bedplate.preflight.__main__ import main
from bedplate.preflight.ask import Answer, Question
from bedplate.preflight.asked import look, of
from bedplate.preflight.aws.questions import AwsCall
from bedplate.stacks.load import load
from tests.cloud_accounts import good
from tests.cloud_profiles import AWS_CAPACITIES, GCP_CAPACITIES, eks, gke
from tests.rooms import ROOT

SESSION = botocore.session.get_session()
GROUP = {"kind": "odcr", "group": "arn:aws:resource-groups:us-east-2:111122223333:group/bought"}
EVERYTHING = eks(
    *({"name": kind, "shape": "p5.48xlarge", "capacity": one} for kind, one in {**AWS_CAPACITIES, "g": GROUP}.items()),
)
for _pool in EVERYTHING["pools"]:
    _pool["selector"] = {"pool": _pool["name"]}
READS = re.compile(r"^(Describe|List|Get)[A-Z]")
POLICY = ROOT / "docs" / "preflight-policy.json"


def calls() -> dict[str, AwsCall]:
    return {name: call for name, call in of(load(EVERYTHING)).items() if isinstance(call, AwsCall)}


def model(call: AwsCall) -> Any:
    return SESSION.get_service_model(call.service)


def faults(value: Any, shape: Any) -> str:
    return ParamValidator().validate(value, shape).generate_report()


@pytest.mark.parametrize("name", calls())
def test_a_call_and_each_of_its_parameters_is_in_aws_service_model(name: str) -> None:
    call = calls()[name]
    operation = model(call).operation_model(call.operation)
    assert faults(dict(call.parameters), operation.input_shape) == ""
    assert call.words()[2] == xform_name(call.operation, "-")
    assert READS.match(call.operation)


@pytest.mark.parametrize("name", calls())
def test_the_tests_own_answers_have_the_fields_of_aws_service_model(name: str) -> None:
    call = calls()[name]
    assert faults(good(load(EVERYTHING))[name], model(call).operation_model(call.operation).output_shape) == ""


def test_the_shipped_policy_allows_the_calls_and_nothing_else() -> None:
    (statement,) = json.loads(POLICY.read_text())["Statement"]
    asked = {f"{model(call).signing_name}:{call.operation}" for call in calls().values()}
    assert set(statement["Action"]) == asked - {"sts:GetCallerIdentity"}  # which nobody can be denied
    assert statement["Effect"] == "Allow"


def test_google_is_only_asked_to_list_and_describe() -> None:
    pools = [
        {"name": kind, "shape": "a3-megagpu-8g", "capacity": one, "selector": {"pool": kind}}
        for kind, one in GCP_CAPACITIES.items()
    ]
    for question in of(load(gke(*pools))).values():
        plain = [word for word in question.words() if not word.startswith("-")]
        assert {"list", "describe"} & set(plain[:6])
        assert "--format=json" in question.words()


class ByMoto:
    """Asks moto what it has, and our own account the rest."""

    LACKS = ("reservations", "quotas", "placement")

    def __init__(self, rest: dict[str, Any]) -> None:
        self.rest = {call.operation: rest[name] for name, call in calls().items() if name in self.LACKS}

    def __call__(self, question: Question) -> Answer:
        assert isinstance(question, AwsCall)
        if question.operation in self.rest:
            return Answer(self.rest[question.operation])
        client = boto3.client(question.service, region_name=question.region)
        return Answer(getattr(client, xform_name(question.operation))(**question.parameters))


@mock_aws
def test_an_account_of_motos_is_judged_by_what_moto_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-2")
    ec2 = boto3.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    made = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24", AvailabilityZone="us-east-2a")["Subnet"]["SubnetId"]
    role = "arn:aws:iam::123456789012:role/cluster"
    boto3.client("eks").create_cluster(
        name="test", version="1.34", roleArn=role, resourcesVpcConfig={"subnetIds": [made]}
    )
    profile = load(eks({"name": "g5", "shape": "g5.12xlarge"}))
    ask = ByMoto(good(load(EVERYTHING)))
    (found,) = look(profile, ask).findings
    assert "g5: subnet with kubernetes.io/role/internal-elb=1 in us-east-2a: 1 needed, 0 in the region" in str(found)
    ec2.create_tags(Resources=[made], Tags=[{"Key": "kubernetes.io/role/internal-elb", "Value": "1"}])
    assert look(profile, ask).findings == ()


SCRIPT = """#!{python}
import json, os, sys, tempfile, time
tempfile.mkstemp(dir={calls!r})
while len(os.listdir({calls!r})) % {calls_at_once}:
    time.sleep(0.01)
answers = json.load(open({answers!r}))
found = answers.get(sys.argv[2])
if found is None:
    sys.exit("\\nAn error occurred (AccessDenied) when calling: not for you")
print(json.dumps(found))
"""


def command(folder: Path, monkeypatch: pytest.MonkeyPatch, answers: dict[str, Any]) -> None:
    """An `aws` that answers a call only when all the others are waiting, too: one after the other they never end."""
    held, script, called = folder / "answers.json", folder / "aws", folder / "calls"
    called.mkdir()
    held.write_text(json.dumps(answers))
    words = {"python": sys.executable, "answers": str(held), "calls": str(called), "calls_at_once": len(calls())}
    script.write_text(SCRIPT.format(**words))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def stated(folder: Path, profile: dict[str, Any]) -> str:
    file = folder / "test.yaml"
    file.write_text(yaml.safe_dump(profile))
    return str(file)


def answered() -> dict[str, Any]:
    found = good(load(EVERYTHING))
    return {call.words()[2]: found[name] for name, call in calls().items()}


def test_the_calls_wait_for_the_account_and_not_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command(tmp_path, monkeypatch, answered())
    assert main(["--profile", stated(tmp_path, EVERYTHING)]) == 0
    assert capsys.readouterr().out == "9 questions asked: nothing is short\n"


def test_what_is_short_is_said_within_80_columns_and_for_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command(tmp_path, monkeypatch, {**answered(), "describe-placement-groups": {"PlacementGroups": []}})
    file = stated(tmp_path, EVERYTHING)
    assert main(["--profile", file]) == 1
    said = capsys.readouterr().out
    assert said.startswith("short: odcr-in-group: placement group bought-together in us-east-2a:")
    assert max(map(len, said.splitlines())) <= 80
    assert main([file, "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert (found["pool"], found["grade"], found["where"]) == ("odcr-in-group", "short", "us-east-2a")


def test_a_call_that_is_denied_is_said_and_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command(tmp_path, monkeypatch, {key: value for key, value in answered().items() if key != "describe-subnets"})
    assert main(["--profile", stated(tmp_path, EVERYTHING)]) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "unknown: ec2 DescribeSubnets: " in said
    assert "(AccessDenied) when calling: not for you" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name a stack, or a file that holds a profile: bedplate preflight ENV"),
        (["nowhere"], "nowhere"),
        (["onprem-h100-roce"], "cloud.kind: this stack makes no nodes on aws or gcp, so there is nothing to ask"),
    ],
)
def test_a_wrong_command_is_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_without_the_clouds_command_it_says_which_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["gke-a3-mega"]) == 2
    assert capsys.readouterr().err.startswith("gcloud: no such command on the PATH; install it")
