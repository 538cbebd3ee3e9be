"""Requests to the Hub of `hub_stub`: how they are read and answered, and the repositories they are about."""

import contextlib
import hashlib
import json
import re
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit


@dataclass
class Repo:
    """Trees by revision: `main`, commits, and `refs/pr/N`."""

    kind: str
    name: str
    trees: dict[str, dict[str, bytes]] = field(default_factory=dict)
    heads: dict[str, str] = field(default_factory=dict)
    pulls: list[dict[str, Any]] = field(default_factory=list)

    def commit(self, branch: str, files: dict[str, bytes]) -> str:
        text = "".join(f"{name}{hashlib.sha256(data).hexdigest()}" for name, data in sorted(files.items()))
        sha = hashlib.sha1(f"{self.kind}{self.name}{branch}{len(self.trees)}{text}".encode()).hexdigest()
        self.trees[sha] = files
        self.heads[branch] = sha
        return sha

    def resolve(self, revision: str) -> str | None:
        return self.heads.get(revision) or (revision if revision in self.trees else None)


class Answered(Exception):
    """The request has got its answer, an error."""


class Requests(BaseHTTPRequestHandler):
    """Reads a request, finds its route and writes the answer. `state` is the `Hub`, `routes` its table."""

    state: Any
    routes: list[tuple[str, str, Any]]
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._serve("GET")

    def do_HEAD(self) -> None:
        self._serve("HEAD")

    def do_POST(self) -> None:
        self._serve("POST")

    def do_PUT(self) -> None:
        self._serve("PUT")

    def _serve(self, method: str) -> None:
        parts = urlsplit(self.path)
        path, query = unquote(parts.path), parse_qs(parts.query)
        body = self._body()
        with self.state.lock:
            self.state.asked.append(f"{method} {path}")
            if self.headers.get("Authorization"):
                self.state.tokens.add(self.headers["Authorization"])
            for verb, pattern, function in self.routes:
                match = re.fullmatch(pattern, path)
                if verb in (method, "ANY") and match:
                    with contextlib.suppress(Answered):
                        function(self, body, query, **match.groupdict())
                    return
            self.state.unknown.append(f"{method} {path}")
        self.send(404, {"error": "not served"})

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            data = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return data
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def send(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def find(self, kind: str, name: str, revision: str | None = None) -> tuple[Repo, str]:
        """A repository and the commit of a revision. Raises Answered, with the Hub's error sent, when there is none."""
        repo = self.state.repos.get((kind, name))
        if repo is None:
            self.send(401, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
            raise Answered
        sha = repo.resolve(revision or "main")
        if sha is None:
            self.send(404, {"error": "Invalid rev id"}, {"X-Error-Code": "RevisionNotFound"})
            raise Answered
        return repo, sha
