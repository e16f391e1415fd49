"""Repositories over https, from git's own server side behind a TLS socket on the loopback address."""

from __future__ import annotations

import base64
import datetime
import ipaddress
import os
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from unit.intake.repositories import commit, git, repository, skill

from skill2env.errors import UsageError
from skill2env.intake.find import find
from skill2env.intake.sources import opened

CREDENTIALS = "me:open-sesame"
LOOPBACK = "127.0.0.1"


class Site(NamedTuple):
    """A server with one repository `skills.git`, open at `/`, with a password at `/private/`, moved at others."""

    url: str
    certificate: Path
    work: Path
    asked: list[str]


class Handler(BaseHTTPRequestHandler):
    """Hands each request to `git http-backend`."""

    protocol_version = "HTTP/1.1"
    root: Path
    asked: list[str]

    def do_GET(self) -> None:
        """Answer one request."""
        self.asked.append(self.path)
        first, _, rest = self.path.lstrip("/").partition("/")
        port = self.server.server_address[1]
        moved = {
            "elsewhere": f"https://{LOOPBACK}:{port}/{rest}",
            "plain": f"http://{LOOPBACK}:{port}/{rest}",
            "file": f"file://{self.root}/{rest}",
        }
        if first in moved:
            self._answer(301, {"Location": moved[first]}, b"")
            return
        wanted = "Basic " + base64.b64encode(CREDENTIALS.encode()).decode()
        if first == "private" and self.headers.get("Authorization") != wanted:
            self._answer(401, {"WWW-Authenticate": 'Basic realm="skills"'}, b"")
            return
        path, _, query = (f"/{rest}" if first == "private" else self.path).partition("?")
        asked = {
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": self.headers.get("Content-Length", ""),
        }
        body = self.rfile.read(int(asked["CONTENT_LENGTH"] or 0))
        command = ("git", "-c", "safe.directory=*", "http-backend")
        done = subprocess.run(
            command, input=body, env={**os.environ, **asked}, capture_output=True, check=True
        )
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self._answer(int(headers.pop("Status", "200").split()[0]), headers, body)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _answer(self, code: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(code)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server that the user's environment trusts."""
    work = repository(tmp_path / "work", {"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")})
    git(tmp_path, "clone", "-q", "--bare", str(work), "skills.git")
    git(work, "remote", "add", "origin", str(tmp_path / "skills.git"))
    certificate, key = certified(tmp_path)
    handler = type("Here", (Handler,), {"root": tmp_path, "asked": []})
    server = ThreadingHTTPServer((LOOPBACK, 0), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name in ("GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSL_CERT_DIR", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    yield Site(f"https://{LOOPBACK}:{server.server_address[1]}", certificate, work, handler.asked)
    server.shutdown()
    server.server_close()


def certified(place: Path) -> tuple[Path, Path]:
    """Write a certificate for the loopback address, signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, LOOPBACK)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(LOOPBACK))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, private = place / "certificate.pem", place / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    kind = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    private.write_bytes(key.private_bytes(*kind))
    return certificate, private


def test_a_revision_over_https(site: Site) -> None:
    first = git(site.work, "rev-parse", "HEAD")
    (site.work / "a" / "SKILL.md").write_text(skill("changed"))
    second = commit(site.work)
    git(site.work, "push", "-q", "origin", "main")
    for revision, expected, text in (
        ("", second, "changed"),
        ("main", second, "changed"),
        (first, first, "a"),
    ):
        with opened(f"{site.url}/skills.git", revision) as place:
            assert (place.commit, place.origin) == (expected, f"{site.url}/skills")
            assert sorted(found.path for found in find(place)) == ["a", "b"]
            assert place.read("a/SKILL.md").decode() == skill(text)


def test_a_redirect_within_https_is_followed(site: Site) -> None:
    with opened(f"{site.url}/elsewhere/skills.git") as place:
        assert place.read("b/SKILL.md").decode() == skill("b")


@pytest.mark.parametrize("kind", ["plain", "file"])
def test_a_redirect_to_another_protocol_is_not_followed(site: Site, kind: str) -> None:
    with pytest.raises(UsageError, match="git fetch failed"), opened(f"{site.url}/{kind}/skills.git"):
        pass


def test_a_server_that_nobody_vouches_for_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(UsageError, match="certificate"), opened(f"{site.url}/skills.git"):
        pass
    assert not site.asked


def test_the_setting_of_git_itself_goes_first(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_SSL_CAINFO", str(site.certificate))
    monkeypatch.setenv("SSL_CERT_FILE", str(site.certificate.with_name("key.pem")))
    with opened(f"{site.url}/skills.git") as place:
        assert place.read("a/SKILL.md").decode() == skill("a")


def test_a_password_opens_and_is_never_told(site: Site) -> None:
    host = site.url.removeprefix("https://")
    with opened(f"https://{CREDENTIALS}@{host}/private/skills.git") as place:
        assert place.read("a/SKILL.md").decode() == skill("a")
        assert place.origin == f"{site.url}/private/skills"
    for wrong in (
        f"https://{CREDENTIALS}x@{host}/private/skills.git",
        f"https://{CREDENTIALS}@{host}/none.git",
    ):
        with pytest.raises(UsageError, match="git fetch failed") as told, opened(wrong):
            pass
        assert "sesame" not in str(told.value)
