"""A GitHub App on the double: its installations, and tokens that GitHub enforces.

Repositories are treated as private ones: each request needs its permission. Sources, read
2026-11-23: docs.github.com, "REST API endpoints for GitHub Apps", "Generating a JSON Web Token
(JWT) for a GitHub App", and github/docs, `server-to-server-permissions.json`. The messages are
quoted in issues of octokit/auth-app.js and actions/create-github-app-token.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.automation.github_routes import Json, Refusal

APP_ID = "12345"
SLUG = "portal"
AN_HOUR = dt.timedelta(hours=1)
LONGEST_JWT = dt.timedelta(minutes=10)

_LEVELS = ("read", "write", "admin")
_IN = r"repos/([\w.-]+)/([\w.-]+)"
# What a request needs: any of the permissions. What is not listed needs none, as `metadata`.
_NEEDS: list[tuple[str, tuple[str, ...]]] = [
    (f"POST {_IN}/dispatches", ("contents: write",)),
    (f"GET {_IN}/actions/", ("actions: read",)),
    (f"POST {_IN}/actions/", ("actions: write",)),
    (f"GET {_IN}/pulls/", ("pull_requests: read", "contents: read")),
    (f"GET {_IN}/issues/", ("pull_requests: read", "issues: read")),
    (f"(POST|PATCH) {_IN}/issues/", ("pull_requests: write", "issues: write")),
    (f"GET {_IN}/commits/[0-9a-f]+/check-runs", ("checks: read",)),
    (f"(POST|PATCH) {_IN}/check-runs", ("checks: write",)),
]


def new_key() -> str:
    """A private key, as GitHub gives it to the owner of an App."""
    key = rsa.generate_private_key(65537, 2048)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    pem = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    return pem.decode()


@cache
def private_key() -> str:
    """The App's key for this run of the tests."""
    return new_key()


def public_key(key: str) -> str:
    """What GitHub keeps of it."""
    found = serialization.load_pem_private_key(key.encode(), None).public_key()
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return found.public_bytes(serialization.Encoding.PEM, form).decode()


@dataclass
class InstalledApp:
    """The App at one owner."""

    id: int
    permissions: dict[str, str]
    repositories: set[str] | None = None
    """The names that were selected; None for all."""
    suspended: bool = False


@dataclass
class Grant:
    """What a token may do."""

    owner: str
    repositories: frozenset[str]
    permissions: Mapping[str, str]
    expires: dt.datetime


@dataclass
class AppDouble:
    """The App as GitHub knows it."""

    key: str
    """The public one."""
    installed: dict[str, InstalledApp] = field(default_factory=dict)
    """By owner."""
    grants: dict[str, Grant] = field(default_factory=dict)
    """By token."""
    minted: list[tuple[str, Json]] = field(default_factory=list)
    """For whom tokens were asked, and with what."""
    now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC)
    """The clock that tokens expire by."""
    skew: dt.timedelta = dt.timedelta()
    """How far this machine's clock is behind GitHub's."""
    changed: Callable[[], object] = lambda: None
    """What happens between looking at an installation and asking for its token."""

    def install(self, owner: str, *repositories: str, **permissions: str) -> InstalledApp:
        """Install the App at an owner, for some of its repositories or all."""
        chosen = set(repositories) or None
        self.installed[owner] = InstalledApp(7000 + len(self.installed), permissions, chosen)
        return self.installed[owner]

    def serves(self, path: str) -> bool:
        """Whether only the App itself may ask for this."""
        return path == "app" or path.startswith("app/") or path.endswith("/installation")

    def answer(self, scheme: str, token: str, method: str, path: str, body: Any) -> Any:  # noqa: ANN401 - any JSON
        """Answer the App. Raises Refusal."""
        self._verify(scheme, token)
        if path == "app":
            return {"slug": SLUG, "html_url": f"https://github.com/apps/{SLUG}"}
        if method == "POST":
            return self._mint(path, body)
        if path == "app/installations":
            return [_installation(owner, one) for owner, one in self.installed.items()]
        parts = path.split("/")
        found = self.installed.get(parts[1])
        if found is None or (parts[0] == "repos" and not _includes(found, parts[2])):
            raise Refusal(404, "Not Found")
        return _installation(parts[1], found)

    def refusal(self, token: str, method: str, path: str) -> Refusal | None:
        """Why a token may not do this."""
        grant = self.grants[token]
        if self.now() >= grant.expires:
            return Refusal(401, "Bad credentials")
        found = re.match(_IN, path)
        if found and (found[1] != grant.owner or found[2] not in grant.repositories):
            return Refusal(404, "Not Found")
        for pattern, needs in _NEEDS:
            if re.match(pattern, f"{method} {path}/"):
                if any(_allows(grant.permissions, one) for one in needs):
                    return None
                return Refusal(403, "Resource not accessible by integration")
        return None

    def _verify(self, scheme: str, token: str) -> None:
        try:
            if scheme != "Bearer":
                raise jwt.DecodeError
            keep = {"verify_iat": False, "verify_exp": False}
            claims = jwt.decode(token, self.key, algorithms=["RS256"], options=keep)  # type: ignore[arg-type] # a part of them
        except jwt.PyJWTError:
            raise Refusal(401, "A JSON web token could not be decoded") from None
        now = (dt.datetime.now(dt.UTC) + self.skew).timestamp()
        if claims["iss"] != APP_ID:
            raise Refusal(404, "Integration not found")
        if claims["iat"] > now:
            words = "must be an Integer representing the time that the assertion was issued"
            raise Refusal(401, f"'Issued at' claim ('iat') {words}")
        if claims["exp"] <= now:
            words = "must be a numeric value representing the future time"
            raise Refusal(401, f"'Expiration time' claim ('exp') {words}")
        if claims["exp"] > now + LONGEST_JWT.total_seconds():
            raise Refusal(401, "'Expiration time' claim ('exp') is too far in the future")

    def _mint(self, path: str, body: Any) -> Json:  # noqa: ANN401 - any JSON
        self.changed()
        number = int(path.split("/")[2])
        known = {one.id: (owner, one) for owner, one in self.installed.items()}
        if number not in known:
            raise Refusal(404, "Not Found")
        owner, found = known[number]
        if found.suspended:
            raise Refusal(403, "This installation has been suspended")
        if not all(_includes(found, name) for name in body["repositories"]):
            words = "does not exist or is not accessible to the parent installation."
            raise Refusal(422, f"There is at least one repository that {words}")
        asked = body["permissions"]
        if not all(_allows(found.permissions, f"{name}: {asked[name]}") for name in asked):
            raise Refusal(422, "The permissions requested are not granted to this installation.")
        self.minted.append((owner, body))
        token = f"ghs_{len(self.minted)}_secret"
        expires = self.now() + AN_HOUR
        self.grants[token] = Grant(owner, frozenset(body["repositories"]), asked, expires)
        return {"token": token, "expires_at": expires.isoformat(), "permissions": asked}


def _installation(owner: str, found: InstalledApp) -> Json:
    suspended = "2026-11-01T00:00:00Z" if found.suspended else None
    return {
        "id": found.id,
        "account": {"login": owner},
        "permissions": found.permissions,
        "suspended_at": suspended,
    }


def _includes(found: InstalledApp, name: str) -> bool:
    return found.repositories is None or name in found.repositories


def _allows(granted: Mapping[str, str], needed: str) -> bool:
    resource, _, level = needed.partition(": ")
    return resource in granted and _LEVELS.index(granted[resource]) >= _LEVELS.index(level)


def app_double() -> AppDouble:
    """The App whose private key the tests have."""
    return AppDouble(public_key(private_key()))
