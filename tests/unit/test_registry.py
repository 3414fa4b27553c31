"""A chart from a registry that is really there: whom it lets in, what it may send, and where logins are shown."""

import base64
import json
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from bedplate.components import archive
from bedplate.components.archive import fetch
from bedplate.components.download import NoArchiveError
from tests.unit.test_archive import CHART, DIGEST

BASIC = "Basic " + base64.b64encode(b"me:secret").decode()


class Registry(BaseHTTPRequestHandler):
    """One chart, for whom `wants` lets in; its blobs lie where `blobs` says."""

    wants = "nobody"
    blobs = ""
    chart = CHART
    asked: list[tuple[str, str]]
    host = ""

    def do_GET(self) -> None:
        path, shown = self.path.partition("?")[0], self.headers.get("Authorization", "")
        self.asked.append((path, shown))
        if path == "/token":
            self.say(*((200, {"token": "let-me-in"}) if shown in ("", BASIC) else (401, {})))
        elif path == "/storage":
            self.say(400 if shown else 200, self.chart)
        elif self.wants != "nobody" and shown != {"token": "Bearer let-me-in", "basic": BASIC}[self.wants]:
            scheme = f'Bearer realm="{self.home}/token",service="here"' if self.wants == "token" else 'Basic realm="x"'
            self.say(401, {}, {"WWW-Authenticate": scheme})
        elif "/manifests/" in path:
            self.say(200, {"layers": [{"mediaType": archive.LAYER, "digest": f"sha256:{DIGEST}"}]})
        else:
            self.say(307 if self.blobs else 200, self.chart, {"Location": self.blobs})

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.asked.append((self.path, form["refresh_token"][0]))
        self.say(*((200, {"access_token": "let-me-in"}) if form["refresh_token"] == ["fresh"] else (401, {})))

    def say(self, code: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        for key, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(data)

    @property
    def home(self) -> str:
        return f"https://127.0.0.1:{self.server.server_port}"  # type: ignore[attr-defined]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        """Not on the terminal."""


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "here")])
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(1))
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    signed = made.add_extension(names, critical=False).sign(key, hashes.SHA256())
    pem = signed.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = tmp_path_factory.mktemp("tls") / "here.pem"
    file.write_bytes(pem)
    return file


@pytest.fixture
def start(certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("DOCKER_CONFIG", "HELM_REGISTRY_CONFIG", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    running: list[ThreadingHTTPServer] = []

    def begin(*, kind: type[Registry] = Registry, **how: Any) -> Any:
        handler = type("Here", (kind,), {"asked": [], **how})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        running.append(server)
        handler.host = f"127.0.0.1:{server.server_port}"
        return handler

    yield begin
    for server in running:
        server.shutdown()
        server.server_close()


def chart(registry: Any) -> bytes:
    return fetch(f"oci://{registry.host}/charts/jobset", "", "0.12.0")


def logged_in(home: Path, registry: Any, entry: dict[str, str], file: str = ".docker", **more: Any) -> None:
    place = home / file / "config.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps({"auths": {registry.host: entry}, **more}))


def helper(home: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    (home / "docker-credential-mine").write_text(f"#!/bin/sh\nread host; echo $1 $host >> {home}/asked\n{script}\n")
    (home / "docker-credential-mine").chmod(0o755)
    monkeypatch.setenv("PATH", str(home), prepend=":")


@pytest.mark.parametrize("wants", ["nobody", "token"])
def test_who_lets_everybody_in_is_shown_no_login(start: Any, wants: str) -> None:
    registry = start(wants=wants)
    assert chart(registry) == CHART
    assert {shown for _, shown in registry.asked} <= {"", "Bearer let-me-in"}


@pytest.mark.parametrize("wants", ["token", "basic"])
@pytest.mark.parametrize("entry", [{"auth": BASIC.removeprefix("Basic ")}, {"username": "me", "password": "secret"}])
@pytest.mark.parametrize("file", [".docker", ".config/helm/registry"])
def test_a_private_mirror_lets_in_who_has_logged_in(
    start: Any, tmp_path: Path, wants: str, entry: dict[str, str], file: str
) -> None:
    registry = start(wants=wants)
    logged_in(tmp_path, registry, entry, file)
    assert chart(registry) == CHART
    assert ("/token" if wants == "token" else "/v2/charts/jobset/manifests/0.12.0", BASIC) in registry.asked


def test_a_helper_knows_the_login(start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = start(wants="basic")
    helper(tmp_path, monkeypatch, """echo '{"Username": "me", "Secret": "secret"}'""")
    logged_in(tmp_path, registry, {}, credsStore="mine")
    assert chart(registry) == CHART
    logged_in(tmp_path, registry, {}, credsStore="gone", credHelpers={registry.host: "mine"})
    assert chart(registry) == CHART
    assert (tmp_path / "asked").read_text().splitlines() == [f"get {registry.host}"] * 2


def test_a_helper_that_knows_no_login_is_no_fault_and_one_that_fails_is(
    start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = start()
    logged_in(tmp_path, registry, {}, credsStore="mine")
    helper(tmp_path, monkeypatch, "echo credentials not found in native keychain; exit 1")
    assert chart(registry) == CHART
    helper(tmp_path, monkeypatch, "echo session expired >&2; exit 1")
    with pytest.raises(NoArchiveError, match=r"^docker-credential-mine, .* of 127\.0\.0\.1:\d+: session expired$"):
        chart(registry)
    helper(tmp_path, monkeypatch, "echo hunter2")
    with pytest.raises(NoArchiveError, match=r"^docker-credential-mine, .*: JSONDecodeError$"):
        chart(registry)
    logged_in(tmp_path, registry, {}, credsStore="gone")
    with pytest.raises(NoArchiveError, match=r"^docker-credential-gone, .*: FileNotFoundError$"):
        chart(registry)


@pytest.mark.parametrize("by_helper", ["helper", ""])
def test_a_token_that_lasts_is_changed_for_one_of_an_hour(
    start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_helper: str
) -> None:
    registry = start(wants="token")
    helper(tmp_path, monkeypatch, """echo '{"Username": "<token>", "Secret": "fresh"}'""")
    logged_in(tmp_path, registry, {"identitytoken": "fresh"}, **({"credsStore": "mine"} if by_helper else {}))
    assert chart(registry) == CHART
    assert ("/token", "fresh") in registry.asked


@pytest.mark.parametrize(
    ("wants", "entry"),
    [
        ("basic", {}),
        ("basic", {"auth": "b2xkOm9sZA=="}),
        ("token", {"auth": "b2xkOm9sZA=="}),
        ("token", {"identitytoken": "old"}),
    ],
)
def test_a_login_that_is_missing_or_has_expired_is_said_with_the_way_to_a_new_one(
    start: Any, tmp_path: Path, wants: str, entry: dict[str, str]
) -> None:
    registry = start(wants=wants)
    logged_in(tmp_path, registry, entry)
    said = rf"HTTP Error 401: Unauthorized; log in: `helm registry login {registry.host}`, or `docker login"
    with pytest.raises(NoArchiveError, match=said) as raised:
        chart(registry)
    assert "b2xk" not in str(raised.value)
    assert len(registry.asked) <= 3, "it does not try for ever"


def test_a_login_is_not_shown_to_the_storage_that_a_registry_sends_to(start: Any, tmp_path: Path) -> None:
    storage = start()
    registry = start(wants="basic", blobs=f"https://{storage.host}/storage")
    logged_in(tmp_path, registry, {"auth": BASIC.removeprefix("Basic ")})
    assert chart(registry) == CHART
    assert storage.asked == [("/storage", "")]


def test_storage_that_asks_for_a_login_gets_none(start: Any, tmp_path: Path) -> None:
    storage = start(wants="basic")
    registry = start(blobs=f"https://{storage.host}/v2/blob")
    logged_in(tmp_path, registry, {"auth": BASIC.removeprefix("Basic ")})
    with pytest.raises(NoArchiveError, match="HTTP Error 401"):
        chart(registry)
    assert {shown for _, shown in storage.asked} == {""}


def test_what_a_registry_sends_must_be_what_its_manifest_says(start: Any) -> None:
    registry = start(chart=CHART + b"more")
    came = sha256(CHART + b"more").hexdigest()
    with pytest.raises(NoArchiveError, match=f"digest sha256:{DIGEST}, and what came has {came}$"):
        chart(registry)


def test_a_certificate_that_nobody_vouches_for_is_refused(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = start()
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(NoArchiveError, match="CERTIFICATE_VERIFY_FAILED"):
        chart(registry)


def test_a_file_of_logins_that_cannot_be_read_is_said(start: Any, tmp_path: Path) -> None:
    registry = start()
    logged_in(tmp_path, registry, {})
    (tmp_path / ".docker/config.json").write_text("{")
    with pytest.raises(NoArchiveError, match=r"/\.docker/config\.json: logins of registries cannot be read: "):
        chart(registry)
