"""A Hub in one process: what the real clients ask of repositories, over HTTP, in memory, without any network.

Commits replace a whole tree; a pull request is a branch `refs/pr/N`. Parquet and JSONL files go the LFS way. Nothing is
checked that the tests do not need, but a call to an address that is not served is kept in `unknown`, and every
Authorization header in `tokens`.
"""

import base64
import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TYPES = {"model": "models", "dataset": "datasets", "space": "spaces"}
LFS_ENDINGS = (".parquet", ".jsonl")


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


class Hub:
    """The state, and the server in a thread. `user` owns everything that is not in `closed`."""

    def __init__(self, user: str = "tester", orgs: tuple[str, ...] = ("org",)) -> None:
        self.user, self.orgs = user, orgs
        self.repos: dict[tuple[str, str], Repo] = {}
        self.lfs: dict[str, bytes] = {}
        self.unknown: list[str] = []
        self.asked: list[str] = []
        self.tokens: set[str] = set()
        self.lock = threading.Lock()
        hub = self

        class Handler(_Handler):
            state = hub

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def repo(self, kind: str, name: str) -> Repo:
        """A repository that a test looks at, or makes."""
        key = (TYPES[kind], name)
        if key not in self.repos:
            self.repos[key] = Repo(TYPES[kind], name)
            self.repos[key].commit("main", {})
        return self.repos[key]

    def files(self, kind: str, name: str, revision: str = "main") -> dict[str, bytes]:
        repo = self.repo(kind, name)
        sha = repo.resolve(revision)
        assert sha is not None
        return repo.trees[sha]


class _Handler(BaseHTTPRequestHandler):
    state: Hub
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
            for verb, pattern, function in ROUTES:
                match = re.fullmatch(pattern, path)
                if verb in (method, "ANY") and match:
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

    def find(self, kind: str, name: str, revision: str | None = None) -> tuple[Repo, str] | None:
        """A repository and the commit of a revision; answers with the Hub's error when there is none."""
        repo = self.state.repos.get((kind, name))
        if repo is None:
            self.send(401, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
            return None
        sha = repo.resolve(revision or "main")
        if sha is None:
            self.send(404, {"error": "Invalid rev id"}, {"X-Error-Code": "RevisionNotFound"})
            return None
        return repo, sha


def whoami(h: _Handler, body: bytes, query: Any) -> None:
    orgs = [{"name": name} for name in h.state.orgs]
    h.send(200, {"name": h.state.user, "type": "user", "orgs": orgs, "auth": {"accessToken": {"role": "write"}}})


def create(h: _Handler, body: bytes, query: Any) -> None:
    asked = json.loads(body)
    kind = TYPES[asked.get("type") or "model"]
    name = f"{asked.get('organization') or h.state.user}/{asked['name']}"
    url = f"{h.state.url}/{'' if kind == 'models' else kind + '/'}{name}"
    known = (kind, name) in h.state.repos
    if not known:
        h.state.repos[kind, name] = Repo(kind, name)
        h.state.repos[kind, name].commit("main", {})
    h.send(409 if known else 200, {"url": url, "id": name, "name": name})


def validate_yaml(h: _Handler, body: bytes, query: Any) -> None:
    h.send(200, {"errors": [], "warnings": []})


def preupload(h: _Handler, body: bytes, query: Any, kind: str, name: str, revision: str) -> None:
    if h.find(kind, name, revision):
        files = [
            {
                "path": f["path"],
                "uploadMode": "lfs" if f["path"].endswith(LFS_ENDINGS) else "regular",
                "shouldIgnore": False,
            }
            for f in json.loads(body)["files"]
        ]
        h.send(200, {"files": files})


def lfs_batch(h: _Handler, body: bytes, query: Any, name: str) -> None:
    objects = [
        {"oid": o["oid"], "size": o["size"]}
        | (
            {}
            if o["oid"] in h.state.lfs
            else {"actions": {"upload": {"href": f"{h.state.url}/lfs/{o['oid']}", "header": {}}}}
        )
        for o in json.loads(body)["objects"]
    ]
    h.send(200, {"transfer": "basic", "objects": objects})


def lfs_put(h: _Handler, body: bytes, query: Any, oid: str) -> None:
    right = hashlib.sha256(body).hexdigest() == oid
    if right:
        h.state.lfs[oid] = body
    h.send(200 if right else 400, {})


def commit(h: _Handler, body: bytes, query: Any, kind: str, name: str, revision: str) -> None:
    found = h.find(kind, name, revision)
    if found is None:
        return
    repo, sha = found
    header: dict[str, Any] = {}
    files = dict(repo.trees[sha])
    for line in body.splitlines():
        entry = json.loads(line)
        value = entry["value"]
        if entry["key"] == "header":
            header = value
        elif entry["key"] == "file":
            files[value["path"]] = base64.b64decode(value["content"])
        elif entry["key"] == "lfsFile":
            files[value["path"]] = h.state.lfs[value["oid"]]
        elif entry["key"] == "deletedFile":
            files.pop(value["path"])
    if header.get("parentCommit") not in (None, sha):
        h.send(412, {"error": "A commit has happened since"})
        return
    address = f"{h.state.url}/{'' if kind == 'models' else kind + '/'}{name}"
    answer = {"success": True}
    if query.get("create_pr") == ["1"]:
        number = len(repo.pulls) + 1
        repo.pulls.append({"num": number, "title": header["summary"], "status": "open", "author": h.state.user})
        revision = f"refs/pr/{number}"
        answer["pullRequestUrl"] = f"{address}/discussions/{number}"
    new = repo.commit(revision, files)
    h.send(200, {**answer, "commitOid": new, "commitUrl": f"{address}/commit/{new}", "hookOutput": ""})


def discussions(h: _Handler, body: bytes, query: Any, kind: str, name: str) -> None:
    found = h.find(kind, name)
    if found is None:
        return
    author, status = query.get("author", [None])[0], query.get("status", [None])[0]
    pulls = [
        {
            **pull,
            "author": {"name": pull["author"]},
            "createdAt": "2026-11-30T00:00:00.000Z",
            "isPullRequest": True,
            "repo": {"name": name, "type": kind.rstrip("s")},
        }
        for pull in found[0].pulls
        if author in (None, pull["author"]) and status in (None, pull["status"])
    ]
    h.send(200, {"discussions": pulls, "count": len(pulls), "start": 0})


def info(h: _Handler, body: bytes, query: Any, kind: str, name: str, revision: str | None = None) -> None:
    found = h.find(kind, name, revision)
    if found is None:
        return
    repo, sha = found
    siblings = [{"rfilename": path} for path in sorted(repo.trees[sha])]
    h.send(
        200,
        {"_id": "1", "id": name, "sha": sha, "private": False, "tags": [], "downloads": 0, "likes": 0}
        | {
            "siblings": siblings,
            "gated": False,
            "disabled": False,
            "createdAt": "2026-11-30T00:00:00.000Z",
            "lastModified": "2026-11-30T00:00:00.000Z",
        },
    )


def tree(h: _Handler, body: bytes, query: Any, kind: str, name: str, revision: str, path: str | None = None) -> None:
    found = h.find(kind, name, revision)
    if found is None:
        return
    repo, sha = found
    prefix = f"{path}/" if path else ""
    recursive = query.get("recursive", ["false"])[0].lower() == "true"
    entries: dict[str, dict[str, Any]] = {}
    for file, data in sorted(repo.trees[sha].items()):
        if not file.startswith(prefix):
            continue
        head, _, rest = file.removeprefix(prefix).partition("/")
        if rest:
            entries.setdefault(prefix + head, {"type": "directory", "path": prefix + head, "oid": sha, "size": 0})
        if not rest or recursive:
            entries[file] = file_entry(file, data)
    if not entries and prefix:
        h.send(404, {"error": "no such entry"}, {"X-Error-Code": "EntryNotFound"})
    else:
        h.send(200, list(entries.values()))


def file_entry(path: str, data: bytes) -> dict[str, Any]:
    entry = {"type": "file", "path": path, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
    if path.endswith(LFS_ENDINGS):
        entry["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 100}
    return entry


def paths_info(h: _Handler, body: bytes, query: Any, kind: str, name: str, revision: str) -> None:
    found = h.find(kind, name, revision)
    if found is None:
        return
    files = found[0].trees[found[1]]
    try:
        wanted = json.loads(body)["paths"]
    except ValueError:
        wanted = parse_qs(body.decode())["paths"]
    wanted = [wanted] if isinstance(wanted, str) else wanted
    listed = [file_entry(path, files[path]) for path in wanted if path in files]
    folders = {path for path in wanted if any(file.startswith(f"{path}/") for file in files)}
    h.send(200, listed + [{"type": "directory", "path": path, "oid": found[1], "size": 0} for path in folders])


def resolve(h: _Handler, body: bytes, query: Any, name: str, rest: str, kind: str | None = None) -> None:
    kind = kind or "models"
    repo = h.state.repos.get((kind, name))
    revision, _, path = rest.partition("/")
    if rest.startswith("refs/pr/"):
        revision, path = "/".join(rest.split("/")[:3]), "/".join(rest.split("/")[3:])
    found = h.find(kind, name, revision) if repo is not None else h.find(kind, name)
    if found is None:
        return
    files = found[0].trees[found[1]]
    if path not in files:
        h.send(404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": found[1]})
        return
    data = files[path]
    headers = {"ETag": f'"{hashlib.sha256(data).hexdigest()}"', "X-Repo-Commit": found[1], "Accept-Ranges": "bytes"}
    wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", h.headers.get("Range", ""))
    if wanted and h.command == "GET":
        start, end = int(wanted[1]), min(int(wanted[2] or len(data) - 1), len(data) - 1)
        h.send(206, data[start : end + 1], {**headers, "Content-Range": f"bytes {start}-{end}/{len(data)}"})
    else:
        h.send(200, data, headers)


KIND = r"(?P<kind>models|datasets|spaces)"
NAME = r"(?P<name>[^/]+/[^/]+)"
REVISION = r"(?P<revision>refs/pr/\d+|[^/]+)"
ROUTES: list[tuple[str, str, Any]] = [
    ("GET", "/api/whoami-v2", whoami),
    ("POST", "/api/repos/create", create),
    ("POST", "/api/validate-yaml", validate_yaml),
    ("POST", f"/api/{KIND}/{NAME}/preupload/{REVISION}", preupload),
    ("POST", f"/api/{KIND}/{NAME}/commit/{REVISION}", commit),
    ("POST", f"/api/{KIND}/{NAME}/paths-info/{REVISION}", paths_info),
    ("GET", f"/api/{KIND}/{NAME}/discussions", discussions),
    ("GET", f"/api/{KIND}/{NAME}/tree/{REVISION}(?:/(?P<path>.+))?", tree),
    ("GET", f"/api/{KIND}/{NAME}/revision/{REVISION}", info),
    ("GET", f"/api/{KIND}/{NAME}", info),
    ("POST", f"(?:/datasets|/spaces)?/{NAME}\\.git/info/lfs/objects/batch", lfs_batch),
    ("PUT", "/lfs/(?P<oid>[0-9a-f]{64})", lfs_put),
    ("ANY", f"(?:/(?P<kind>datasets|spaces))?/{NAME}/resolve/(?P<rest>.+)", resolve),
]
