"""The programs that pods run, run here: against a folder, and against a server that listens on this machine."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from bedplate.verify import probe_log
from tests.rooms import folder

PROBES = folder("verify") / "probes"


def probe(name: str, *words: str, **env: str) -> str:
    text = (PROBES / f"{name}.py").read_text()
    done = subprocess.run([sys.executable, "-c", text, *words], capture_output=True, text=True, check=True, env=env)
    return done.stdout


def test_a_volume_is_written_to_and_read_from_and_left_as_it_was(tmp_path: Path) -> None:
    said = probe("volume", str(tmp_path), "--size", str(2**20))
    write, read = probe_log.volume(said, 0.0001, "scratch")
    assert (write.check, read.check, read.status) == ("storage, write", "storage, read", "passed")
    assert list(tmp_path.iterdir()) == []


def test_a_volume_slower_than_its_profile_says_fails() -> None:
    (read,) = probe_log.volume("read 0.80 GB/s\n", 1, "models")
    assert (read.status, read.text) == ("failed", "0.80 GB/s, readGbs 1")
    (read,) = probe_log.volume("read 0.95 GB/s\n", 1, "models")
    assert read.status == "passed"


def test_a_volume_that_may_only_be_read_is_measured_by_what_it_has(tmp_path: Path) -> None:
    said = probe("volume", str(tmp_path), "--size", str(2**20), "--read-only")
    (read,) = probe_log.volume(said, 1, "data")
    assert (read.status, read.text) == ("unknown", f"nothing of {2**24} bytes or more to read in {tmp_path}")
    (tmp_path / "set").write_bytes(bytes(2**24))
    (read,) = probe_log.volume(probe("volume", str(tmp_path), "--size", str(2**24), "--read-only"), 0.0001, "data")
    assert read.status == "passed"


@pytest.mark.parametrize("log", ["", "Traceback\nOSError: [Errno 5] Input/output error\n"])
def test_a_volume_that_nothing_was_heard_of_is_unknown(log: str) -> None:
    (read,) = probe_log.volume(log, 1, "models")
    assert read.status == "unknown"


class Model(BaseHTTPRequestHandler):
    """As vLLM answers."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        known = self.path == "/v1/completions" and asked["model"] == "llama"
        allowed = self.headers["Authorization"] == "Bearer right"
        self._answer(401 if not allowed else 200 if known else 404, json.dumps({"choices": [{"text": " sky"}]}))

    def do_GET(self) -> None:
        self._answer(200, "# HELP\nvllm:num_requests_running 0\nvllm:num_requests_waiting 0\npython_info 1\n")

    def _answer(self, status: int, text: str) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        pass


@pytest.fixture
def base() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Model)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def asked(base: str, model: str, key: str, prefix: str = "vllm:") -> list[probe_log.Case]:
    words = (base, "--model", model, "--metrics", f"{base}/metrics", "--prefix", prefix)
    return list(probe_log.server(probe("server", *words, API_KEY=key), "llama"))


def test_a_server_is_asked_for_one_word_and_for_its_metrics(base: str) -> None:
    completion, metrics = asked(base, "llama", "right")
    assert (completion.status, metrics.status, metrics.text) == ("passed", "passed", "2")


@pytest.mark.parametrize(("model", "key", "said"), [("gpt", "right", "404"), ("llama", "wrong", "401")])
def test_a_server_that_refuses_fails_with_its_words(base: str, model: str, key: str, said: str) -> None:
    completion, _ = asked(base, model, key)
    assert completion.status == "failed"
    assert completion.text.startswith(said)


def test_a_server_without_its_own_metrics_fails(base: str) -> None:
    _, metrics = asked(base, "llama", "right", prefix="nv_")
    assert (metrics.status, metrics.text) == ("failed", "200: no series begins with nv_")


def test_a_server_that_does_not_answer_fails_and_one_that_was_not_asked_is_unknown() -> None:
    completion, metrics = asked("http://127.0.0.1:9", "llama", "right")
    assert (completion.status, metrics.status) == ("failed", "failed")
    assert [case.status for case in probe_log.server("", "llama")] == ["unknown", "unknown"]


def seen(folder: Path, *names: str, **env: str) -> probe_log.Case:
    for name in names:
        (folder / name).touch()
    return probe_log.devices(probe("devices", str(folder), **env), "h100")


def test_a_pod_that_asked_for_no_gpu_and_sees_one_fails(tmp_path: Path) -> None:
    case = seen(tmp_path, "nvidia0", "nvidia10", "nvidiactl", "nvidia-uvm", "null", NVIDIA_VISIBLE_DEVICES="all")
    assert (case.check, case.status) == ("no GPUs unasked", "failed")
    assert "sees nvidia0 nvidia10:" in case.text
    assert seen(tmp_path).status == "failed", "whatever its image says"


def test_a_pod_that_sees_none_passes_only_if_its_image_asked_for_them(tmp_path: Path) -> None:
    assert seen(tmp_path, "nvidiactl", NVIDIA_VISIBLE_DEVICES="all").status == "passed"
    for asks in ("void", "none", ""):
        case = seen(tmp_path, NVIDIA_VISIBLE_DEVICES=asks)
        assert (case.status, case.text.rpartition(", ")[2]) == ("unknown", "so that it proves nothing")
    assert seen(tmp_path).status == "unknown"


@pytest.fixture
def listening() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


CLOSED = "127.0.0.1:1"


def called(*addresses: str, **env: str) -> probe_log.Case:
    return probe_log.borders(probe("borders", "0", *addresses, **{"NAME": "localhost"} | env), "team research")


def test_a_pod_that_reaches_what_its_policies_close_fails(listening: str) -> None:
    case = called(CLOSED, listening)
    assert (case.check, case.status) == ("borders", "failed")
    assert f"reaches {listening} (" in case.text


def test_a_pod_that_reaches_none_of_it_passes_if_it_has_a_network_at_all(listening: str) -> None:
    assert (called(CLOSED).status, CLOSED in called(CLOSED).text) == ("passed", True)
    assert called(CLOSED, NAME="no.such.name.invalid").status == "unknown"
    assert called().status == called(listening, HOST_IP="127.0.0.1").status == "unknown"


@pytest.mark.parametrize("log", ["", "Traceback\nbad\n"])
def test_of_borders_of_which_nothing_was_heard_nothing_is_said(log: str) -> None:
    assert probe_log.borders(log, "team research").status == "unknown"


@pytest.mark.parametrize("log", ["", "Traceback\nbad\n"])
def test_of_devices_that_nothing_was_heard_of_nothing_is_said(log: str) -> None:
    assert probe_log.devices(log, "h100").status == "unknown"
