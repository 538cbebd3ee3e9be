"""Where an OpenAI-compatible API lies, and how its request fields are called there."""

import ipaddress
import os
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, unquote_plus, urlsplit, urlunsplit

from vehbench_hf.errors import UserError

OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True)
class Endpoint:
    """An API's address.

    `url` is free of what may be secret: user, password and query. `query` and `headers` are added to every request; a
    user and password take the place of the key. `is_local` says that a server of the user's own is meant, which can be
    dead, and `is_loopback` that it runs on this machine, so that no proxy lies between.
    """

    url: str
    query: dict[str, str]
    headers: dict[str, str]
    host: str
    is_local: bool
    is_loopback: bool

    @property
    def is_openai(self) -> bool:
        """Whether OpenAI or Azure OpenAI answers there."""
        return self.host.endswith((".openai.com", ".openai.azure.com", ".cognitiveservices.azure.com"))

    @property
    def token_field(self) -> str:
        """What the longest reply is called: OpenAI's newer models refuse the name that all others understand."""
        return "max_completion_tokens" if self.is_openai else "max_tokens"

    def where_to_look(self, error: str) -> str:
        """What to check when no connection comes about, by the words of the error."""
        hint = "Is the server running, and on this port?" if self.is_local else "Is --base-url right?"
        if "CERTIFICATE" in error.upper():
            hint = "The server's certificate is not trusted: SSL_CERT_FILE=FILE.pem names a further authority."
        elif "WRONG_VERSION" in error.upper() or "RECORD" in error.upper():
            hint = "Does the server speak https there? If not, give --base-url with http://."
        return f"{hint} What was done is kept; the same command goes on."

    def reasoning_budget(self, tokens: int, engine: str | None) -> dict[str, Any]:
        """The request fields that bound the reasoning. Raises UserError where no such field is known."""
        if self.host.endswith("openrouter.ai"):
            return {"reasoning": {"max_tokens": tokens}}
        if self.host.endswith("anthropic.com"):
            return {"thinking": {"type": "enabled", "budget_tokens": tokens}}
        if self.host.endswith("googleapis.com"):
            return {"extra_body": {"google": {"thinking_config": {"thinking_budget": tokens}}}}
        if self.host.endswith("aliyuncs.com"):
            return {"enable_thinking": True, "thinking_budget": tokens}
        if engine == "vllm":
            return {"thinking_token_budget": tokens}
        raise UserError(
            f"no request field for --reasoning-tokens is known at {self.url}; use --reasoning-effort, or give the "
            "server's own field with --request-field NAME=JSON."
        )


def read_endpoint(base_url: str | None) -> Endpoint:
    """The endpoint of a base URL; without one, of the variable OPENAI_BASE_URL or of OpenAI itself.

    Raises UserError for an address that is not http or https.
    """
    given = base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
    try:
        parts = urlsplit(given.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if parts.scheme not in ("http", "https") or not host:
        raise UserError(
            "the base URL must look like http://localhost:8000/v1 or https://host/v1; the one given does not."
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    at = f"[{host}]" if ":" in host else host
    login = unquote(parts.netloc.rpartition("@")[0])
    basic = "Basic " + b64encode(login.encode()).decode()
    return Endpoint(
        url=urlunsplit((parts.scheme, at if port is None else f"{at}:{port}", path, "", "")),
        query=dict(parse_qsl(parts.query)),
        headers={"Authorization": basic} if login else {},
        host=host,
        is_local=_is_local(host),
        is_loopback=_is_loopback(host),
    )


def secrets_of(base_url: str | None, key: str) -> list[str]:
    """What must never be printed: the key, the password and user of the URL, and the values of its query.

    In every form in which a server may name them: as given, decoded, as a header, and as JSON may escape them.
    """
    texts = {key}
    try:
        parts = urlsplit(base_url or os.environ.get("OPENAI_BASE_URL") or "")
    except ValueError:
        parts = urlsplit("")
    login = parts.netloc.rpartition("@")[0]
    texts |= {login, *login.split(":"), *(pair.partition("=")[2] for pair in parts.query.split("&"))}
    texts |= {unquote(text) for text in texts} | {unquote_plus(text) for text in texts}
    texts |= {b64encode(unquote(login).encode()).decode()}
    texts |= {text.replace("/", "\\/") for text in texts}
    # a short one, such as the placeholder key "none", would black out ordinary words
    return sorted((text for text in texts if len(text) >= 6), key=len, reverse=True)


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """A text with stars in the place of secrets, of which longer ones come first."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text


def _is_loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


def _is_local(host: str) -> bool:
    try:
        return _is_loopback(host) or ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".lan"))
