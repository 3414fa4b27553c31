"""A run that is cancelled leaves nothing broken: Pulumi is asked once, waited for, and its lock is named if it stays."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bedplate.engine.tool import plain
from tests.rooms import ROOT
from tests.stopped_pulumi import DRIVER, Desk, alone, group


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize("to", [alone, group])
@pytest.mark.parametrize(
    ("number", "heard"),
    [(signal.SIGINT, "SIGINT"), (signal.SIGTERM, "SIGTERM"), (signal.SIGHUP, "SIGTERM")],
)
def test_who_asks_bedplate_to_end_asks_pulumi_once_and_its_state_is_saved(
    desk: Desk, to: Callable[[subprocess.Popen[str], int], None], number: int, heard: str
) -> None:
    run = desk.start("down", "lab", "--yes")
    desk.hear("begun destroy")
    assert desk.left() != []
    to(run, number)
    desk.hear(f"asked {heard}")
    desk.hear("saved")
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out, err.strip()) == (128 + number, "working\nstate saved\n", "")
    assert desk.silent()
    assert desk.left() == []


def test_a_second_signal_is_passed_on_and_one_that_is_sent_twice_at_once_is_one(desk: Desk) -> None:
    run = desk.start("down", "lab", "--yes")
    desk.hear("begun destroy")
    alone(run, signal.SIGINT)
    group(run, signal.SIGINT)
    desk.hear("asked SIGINT")
    alone(run, signal.SIGTERM)
    desk.hear("asked SIGTERM")
    desk.hear("at once")
    run.communicate(timeout=60)
    assert run.returncode == 130
    assert desk.left() == []


def test_what_pulumi_ends_well_in_spite_of_a_signal_ended_well(desk: Desk) -> None:
    run = desk.start("down", "lab", "--yes", env={"STATUS": "0"})
    desk.hear("begun destroy")
    alone(run, signal.SIGTERM)
    run.communicate(timeout=60)
    assert run.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_before_pulumi_is_there_ends_bedplate_and_leaves_nothing(desk: Desk, number: int) -> None:
    run = desk.start("down", "lab", "--yes", guarded=True)
    desk.hear("guarding")
    assert desk.left() != []
    alone(run, number)
    assert run.communicate(timeout=60) == ("", "")
    assert run.returncode == 128 + number
    assert desk.silent()
    assert desk.left() == []


def test_a_signal_while_the_stack_is_selected_is_the_end(desk: Desk) -> None:
    run = desk.start("up", "lab", "--yes", env={"SLOW": "stack", "STATUS": "0"})
    desk.hear("begun stack")
    alone(run, signal.SIGTERM)
    desk.hear("asked SIGTERM")
    desk.hear("saved")
    run.communicate(timeout=60)
    assert run.returncode == 143
    assert desk.silent(), "nothing comes after it"
    assert desk.left() == []


def test_a_signal_during_an_up_leaves_no_policy_pack(desk: Desk) -> None:
    run = desk.start("up", "lab", "--yes")
    desk.hear("begun up")
    alone(run, signal.SIGINT)
    desk.hear("asked SIGINT")
    desk.hear("saved")
    run.communicate(timeout=60)
    assert (run.returncode, desk.left()) == (130, [])


def test_who_reads_no_further_does_not_end_pulumi(desk: Desk) -> None:
    run = desk.start("down", "lab", "--yes", env={"TENTHS": "5", "STATUS": "3", "SAYS": "x" * 100_000})
    assert run.stdout
    assert run.stderr
    run.stdout.read(10)
    run.stdout.close()
    run.stderr.close()
    desk.hear("begun destroy")
    desk.hear("saved")
    assert run.wait(timeout=60) == 3
    assert desk.left() == []


def test_a_ctrl_c_on_a_terminal_reaches_pulumi_once(desk: Desk) -> None:
    ours, theirs = pty.openpty()
    own = "import os, fcntl, termios, sys; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    code = (
        own
        + f"os.execv(sys.executable, [sys.executable, '-c', {DRIVER.format(cli=str(desk.cli), wait='pass')!r}, *sys.argv[1:]])"
    )
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    run = subprocess.Popen(
        [sys.executable, "-c", code, "down", "lab", "--yes"],
        cwd=ROOT,
        env={**environment, "PYTHONPATH": str(ROOT), "TMPDIR": str(desk.scratch), "KUBECONFIG_TEXT": "secret"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    desk.hear("begun destroy")
    os.write(ours, b"\x03")
    desk.hear("asked SIGINT")
    desk.hear("saved")
    assert run.wait(timeout=60) == 130
    assert desk.silent()
    os.close(theirs)
    os.close(ours)


def test_a_lock_that_stays_is_named_with_the_commands_that_mend_it(desk: Desk) -> None:
    run = desk.start("down", "lab", "--yes", env={"DIES": "1"})
    desk.hear("begun destroy")
    _, err = run.communicate(timeout=60)
    assert run.returncode == 128 + signal.SIGKILL
    assert err.strip() == (
        "lab: Pulumi ended before it let go of the stack; mend it: `bedplate pulumi cancel lab --yes`, "
        "then `bedplate pulumi refresh lab --yes --clear-pending-creates`, then `bedplate down lab`"
    )


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            "error: the stack is currently locked by 1 lock(s). Either wait for the other process(es) to end or",
            (
                "lab: another run holds the stack, and nothing was done: wait until it has ended; if none is at work "
                "any more, `bedplate pulumi cancel lab --yes`, then this command again"
            ),
        ),
        (
            "error: failed to load checkpoint: EOF",
            "lab: another run was just writing the state, and nothing was done: run this command again",
        ),
    ],
)
def test_a_second_run_is_refused_in_our_words_after_pulumis(desk: Desk, said: str, line: str) -> None:
    run = desk.start("down", "lab", "--yes", env={"COMPLAINS": said, "TENTHS": "1", "STATUS": "255"})
    _, err = run.communicate(timeout=60)
    assert (run.returncode, err.splitlines()) == (255, [said, line])


def test_a_policy_pack_of_the_users_own_needs_no_configuration(tmp_path: Path) -> None:
    """Pulumi wants as many configurations as packs, and ours has one."""
    assert [*plain(["--policy-pack", "mine", "--policy-pack=other", "--policy-pack-config", "x"], tmp_path)] == [
        "--policy-pack-config",
        str(tmp_path / "none.json"),
    ]
    assert (tmp_path / "none.json").read_text() == "{}"
    assert [*plain(["--diff"], tmp_path)] == []
