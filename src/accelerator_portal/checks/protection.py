"""Finds options of commands that switch off a protection, such as certificate checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accelerator_portal.checks.programs import name_of

_OPTIONS = (
    "--allow-insecure-host", "--allow-unauthenticated", "--force-yes", "--insecure",
    "--insecure-host", "--no-check-certificate", "--no-gpg-check", "--no-ssl-verify",
    "--no-verify-ssl", "--nogpgcheck", "--trusted-host", "-skipcertificatecheck",
)  # fmt: skip

_VARIABLES = frozenset(
    {"CONDA_SSL_VERIFY", "CURL_INSECURE", "GIT_SSL_NO_VERIFY", "GIT_SSL_CAINFO",
     "HF_HUB_DISABLE_SSL", "NODE_TLS_REJECT_UNAUTHORIZED", "NPM_CONFIG_STRICT_SSL",
     "PIP_TRUSTED_HOST", "PYTHONHTTPSVERIFY", "SSL_NO_VERIFY", "UV_INSECURE_HOST"}
)  # fmt: skip

_SETTINGS = (
    "global.trusted-host", "http.sslverify", "install.trusted-host", "ssl_verify", "strict-ssl",
)  # fmt: skip
_VALUES = (
    "allowinsecurerepositories=true", "gpgcheck=0", "sslverify=0", "sslverify=false",
    "trusted=yes", "verify-host=false", "verify-peer=false",
)  # fmt: skip

# Short options of curl whose value may stand in the same word. Source: curl(1).
_CURL_VALUES = frozenset("AbcCdDeEFHKmoPQrtTuUwxXyYz")


def unprotected_words(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command that switch something off."""
    curl = False
    for word in words:
        plain = word.lower()
        name = word.removeprefix("$env:").partition("=")[0].strip()
        switched = (
            plain.partition("=")[0] in _OPTIONS
            or plain.startswith(("--no-gpg-check", *_SETTINGS))
            or name.upper() in _VARIABLES
            or any(setting in plain for setting in _VALUES)
        )
        if switched:
            yield word
        elif curl and _is_insecure(word):
            yield f"curl {word}"
        curl = curl or name_of(word) == "curl"


def _is_insecure(word: str) -> bool:
    """Whether short options of curl in one word, such as `-sSLk`, have a `k`."""
    if not word.startswith("-") or word.startswith("--"):
        return False
    for sign in word[1:]:
        if sign == "k":
            return True
        if sign in _CURL_VALUES:
            return False
    return False
