"""Slips of a file, of a command line and of where one stands: each is one line with its place and its fix."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from bedplate import __main__
from bedplate.cli import main
from bedplate.stacks.profile.reading import NotYamlError, parsed
from tests.unit.test_mistakes import changed, refused

VARIABLE = "${…} and {{…}} begin a mapping, and nothing here fills them in; write the value itself, or in quotes"
HARD = "a no-break space, which YAML takes for a letter; write a plain one"
SLIPS = {
    "a: 1\nname:x\nb: 2\n": "line 2: a key without its colon; write `key: value`, with a space after the colon",
    "a: ${VAR}\nb: {c: ${VAR}}\n": f"line 2: {VARIABLE}",
    "a: {{ os }}\n": f"line 1: {VARIABLE}",
    "a: *x\n": "line 1: * begins an alias; put the value in quotes",
    'a: 1\nb: "${X}\nc: 2\nd: 3\n': "line 2: a quote that is not closed; close it",
    "a: [1, 2\nb: 3\n": "line 1: a bracket that is not closed; close it, or put the value in quotes",
    "a:\n  b: 1\n\u00a0 c: 2\n": f"line 3: {HARD}",
    "a: 1\nb:\u00a02\nc: 3\n": f"line 2: {HARD}",
    "a: 1\nb: \0\n": "line 2: a control character (U+0000); remove it",
    "a: 1\n---\nb: 2\n": "line 2: a second document begins; keep one in a file",
    "a: @x\n": "line 1: no value begins with @, % or a backtick; put it in quotes",
    "a: b: c\n": "line 1: a second colon; put the value in quotes, or the key in a line of its own",
}


@pytest.mark.parametrize(("text", "line"), SLIPS.items())
def test_a_slip_has_its_line_and_its_fix(text: str, line: str) -> None:
    with pytest.raises(NotYamlError) as refusal:
        parsed(text.encode())
    assert str(refusal.value) == line


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("fabric.ipam.network", "10.64.0.0", "fabric.ipam.network = 10.64.0.0: it does not hold 8 subnets of /24; w"),
        ("fabric.rails.1", "ens1np0", "fabric.rails = ens1np0: listed twice; list each once"),
        ("pools.1.replicas", 4, "pools[1].replicas = 4: unknown key; did you mean nodes?"),
        ("os", "ubuntu", "os = ubuntu: unknown key; did you mean nodeOs?"),
        ("gpuOperator.values", {}, "gpuOperator.values = {}: unknown key; did you mean overrides?"),
        (
            "clusterNetwork",
            {"podCidr": "fd00::/48"},
            "clusterNetwork.podCidr = fd00::/48: an IPv6 network, and only IPv4 is taken here; write its IPv4 one; IPv6 is",
        ),
        ("clusterNetwork", {"podCidr6": "fd00::1/48"}, "clusterNetwork.podCidr6 = fd00::1/48: an address, and not the"),
        (
            "tenancy.teams.0.egress",
            ["fe80::%eth0/64"],
            "tenancy.teams[0].egress[0] = fe80::%eth0/64: has the interface of one machine behind a %; write the addr",
        ),
        (
            "tenancy.teams.0.egress",
            ["::ffff:a9fe:a9fe/128"],
            "tenancy.teams[0].egress[0] = ::ffff:a9fe:a9fe/128: addresses of IPv4 written as IPv6; write them as IPv4",
        ),
        (
            "tenancy.teams.0.egress",
            ["https://hub.example.com"],
            "tenancy.teams[0].egress[0] = https://hub.example.com: the name of a host, and networks are known by addr",
        ),
        ("fabric.hcas.1", "mlx5_0", "fabric.hcas = mlx5_0: listed twice; list each once"),
        ("pools.1.labels", {"rack": "a 7"}, "pools[1].labels.rack = a 7: no label has such a value: letters, digits, "),
        (
            "pools.1.selector",
            {"rack": "/"},
            "pools[1].selector.rack = /: no label has such a value: letters, digits, ",
        ),
        ("gpuOperator.driverVersion", "latest", "gpuOperator.driverVersion = latest: neither a release of the driver"),
        ("kubernetesVersion", "“1.35”", "kubernetesVersion = “1.35”: typographic quotes, which YAML takes for letters"),
        ("clusterNetwork", {"podCidr6": "10.0.0.0/8"}, "clusterNetwork.podCidr6 = 10.0.0.0/8: not an IPv6 network; wr"),
    ],
)
def test_what_people_write_is_told_what_is_meant(tmp_path: Path, key: str, value: object, line: str) -> None:
    said = [one.partition(": ")[2] for one in refused(tmp_path, changed(key, value))]
    assert any(one.startswith(line) for one in said), said


NAMED = (
    *(f"{command} --stack" for command in ("plan", "doctor", "up", "down", "preflight", "images", "verify", "migrate")),
    *(f"{command} --profile" for command in ("doctor", "profile show", "node why", "upgrade", "size cluster")),
    "upgrade --to x -s",
    "releases check --env",
    "rules config --stack",
)
"""One way to name a cluster: by the word, or by any of these options."""


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("plan lab --profile a.yaml", "lab and --profile a.yaml: two clusters are named; leave one of them out"),
        ("plan --profile -", "-: a profile is read from a file, and not from a stream; write it to one, .yaml"),
        ("plan --profile /dev/stdin", "/dev/stdin: a profile is read from a file, and not from a stream; write it"),
        ("apply prod", "prod: no Pulumi.yaml here or above"),
        ("deploy prod", "prod: no Pulumi.yaml here or above"),
        ("destroy prod", "prod: no Pulumi.yaml here or above"),
        ("delete prod", "delete: no such command; `bedplate down ENV` takes it all away"),
        ("status prod", "status: no such command; `bedplate doctor ENV` looks at the cluster"),
        ("--verbose plan", "--verbose: no such command; `bedplate --debug COMMAND` writes down what it did"),
        ("plan lab -o yaml", "bedplate plan: --format = yaml: not a choice; use tree, json, markdown"),
        ("plan lab -o", "bedplate plan: -o: no such option; did you mean --format?"),
        ("plan lab --json=yes", "bedplate plan: --json: it takes no value"),
        ("plan -f a.yaml", "a.yaml: there is no such file"),
        ("check -f a.yaml", "a.yaml: there is no such file"),
        ("job render -f a.yaml", "a.yaml: cannot be read"),
        *((f"{words} nope", "nope: no Pulumi.yaml here or above") for words in NAMED),
        ("doctor --stack=nope", "nope: no Pulumi.yaml here or above"),
        ("up --stack lab --stack nope", "--stack: the stack is lab already; name the one that is meant"),
        ("size cluster lab", "bedplate size cluster: lab: one word too many; did you mean --stack lab?"),
        ("job status a", "bedplate job status: no such verb; did you mean why?"),
        ("job nonsense", "bedplate job nonsense: no such verb; `bedplate job` lists them"),
        ("lab start", "bedplate lab: command = start: not a choice; did you mean up?"),
        ("lab stop", "bedplate lab: command = stop: not a choice; did you mean down?"),
        ("plan prod", "prod: no Pulumi.yaml here or above, so only the examples are there; `bedplate init prod` makes"),
        ("lab --name a=b/c status", "bedplate lab: argument --name: a=b/c: a name has small letters, digits and dash"),
    ],
)
def test_a_command_line_is_told_what_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        status = main(words.split())
    except SystemExit as end:
        status = end.code
    assert (status, capsys.readouterr().err[: len(line)]) == (2, line)


def test_a_ctrl_c_at_the_start_is_silent(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Interrupted(ModuleType):
        def __getattr__(self, name: str) -> object:
            if name == "main":
                raise KeyboardInterrupt
            raise AttributeError(name)

    monkeypatch.setitem(sys.modules, "bedplate.cli", Interrupted("bedplate.cli"))
    assert __main__.start() == 130
    assert "".join(capsys.readouterr()) == ""
