"""What the real clients ask of the Hub of `hub_stub`, a function a route."""

import base64
import hashlib
import json
import re
from typing import Any
from urllib.parse import parse_qs

from hub_requests import Requests

TYPES = {"model": "models", "dataset": "datasets", "space": "spaces"}
LFS_ENDINGS = (".parquet", ".jsonl")


def whoami(h: Requests, body: bytes, query: Any) -> None:
    orgs = [{"name": name} for name in h.state.orgs]
    h.send(200, {"name": h.state.user, "type": "user", "orgs": orgs, "auth": {"accessToken": {"role": "write"}}})


def create(h: Requests, body: bytes, query: Any) -> None:
    asked = json.loads(body)
    kind = TYPES[asked.get("type") or "model"]
    name = f"{asked.get('organization') or h.state.user}/{asked['name']}"
    url = f"{h.state.url}/{'' if kind == 'models' else kind + '/'}{name}"
    known = (kind, name) in h.state.repos
    h.state.repo(asked.get("type") or "model", name)
    h.send(409 if known else 200, {"url": url, "id": name, "name": name})


def validate_yaml(h: Requests, body: bytes, query: Any) -> None:
    h.send(200, {"errors": [], "warnings": []})


def preupload(h: Requests, body: bytes, query: Any, kind: str, name: str, revision: str) -> None:
    h.find(kind, name, revision)
    paths = [file["path"] for file in json.loads(body)["files"]]
    modes = {path: "lfs" if path.endswith(LFS_ENDINGS) else "regular" for path in paths}
    h.send(200, {"files": [{"path": p, "uploadMode": mode, "shouldIgnore": False} for p, mode in modes.items()]})


def lfs_batch(h: Requests, body: bytes, query: Any, name: str) -> None:
    objects = [{"oid": asked["oid"], "size": asked["size"]} for asked in json.loads(body)["objects"]]
    for asked in objects:
        if asked["oid"] not in h.state.lfs:
            asked["actions"] = {"upload": {"href": f"{h.state.url}/lfs/{asked['oid']}", "header": {}}}
    h.send(200, {"transfer": "basic", "objects": objects})


def lfs_put(h: Requests, body: bytes, query: Any, oid: str) -> None:
    right = hashlib.sha256(body).hexdigest() == oid
    if right:
        h.state.lfs[oid] = body
    h.send(200 if right else 400, {})


def commit(h: Requests, body: bytes, query: Any, kind: str, name: str, revision: str) -> None:
    repo, sha = h.find(kind, name, revision)
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


def discussions(h: Requests, body: bytes, query: Any, kind: str, name: str) -> None:
    repo, _ = h.find(kind, name)
    author, status = query.get("author", [None])[0], query.get("status", [None])[0]
    pulls = [
        {
            **pull,
            "author": {"name": pull["author"]},
            "createdAt": "2026-11-30T00:00:00.000Z",
            "isPullRequest": True,
            "repo": {"name": name, "type": kind.rstrip("s")},
        }
        for pull in repo.pulls
        if author in (None, pull["author"]) and status in (None, pull["status"])
    ]
    h.send(200, {"discussions": pulls, "count": len(pulls), "start": 0})


def info(h: Requests, body: bytes, query: Any, kind: str, name: str, revision: str | None = None) -> None:
    repo, sha = h.find(kind, name, revision)
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


def tree(h: Requests, body: bytes, query: Any, kind: str, name: str, revision: str, path: str | None = None) -> None:
    repo, sha = h.find(kind, name, revision)
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


def paths_info(h: Requests, body: bytes, query: Any, kind: str, name: str, revision: str) -> None:
    repo, sha = h.find(kind, name, revision)
    files = repo.trees[sha]
    try:
        wanted = json.loads(body)["paths"]
    except ValueError:
        wanted = parse_qs(body.decode())["paths"]
    wanted = [wanted] if isinstance(wanted, str) else wanted
    listed = [file_entry(path, files[path]) for path in wanted if path in files]
    folders = {path for path in wanted if any(file.startswith(f"{path}/") for file in files)}
    h.send(200, listed + [{"type": "directory", "path": path, "oid": sha, "size": 0} for path in folders])


def resolve(h: Requests, body: bytes, query: Any, name: str, rest: str, kind: str | None = None) -> None:
    revision, _, path = rest.partition("/")
    if rest.startswith("refs/pr/"):
        revision, path = "/".join(rest.split("/")[:3]), "/".join(rest.split("/")[3:])
    repo, sha = h.find(kind or "models", name, revision)
    files = repo.trees[sha]
    if path not in files:
        h.send(404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": sha})
        return
    data = files[path]
    headers = {"ETag": f'"{hashlib.sha256(data).hexdigest()}"', "X-Repo-Commit": sha, "Accept-Ranges": "bytes"}
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
