"""A Hub in one process: what the real clients ask of repositories, over HTTP, in memory, without any network.

Commits replace a whole tree; a pull request is a branch `refs/pr/N`. Parquet and JSONL files go the LFS way. Nothing is
checked that the tests do not need, but a call to an address that is not served is kept in `unknown`, and every
Authorization header in `tokens`.
"""

import threading
from http.server import ThreadingHTTPServer

from hub_requests import Repo, Requests
from hub_routes import ROUTES, TYPES


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

        class Handler(Requests):
            state, routes = hub, ROUTES

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
