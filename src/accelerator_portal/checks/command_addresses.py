"""Finds the addresses that a command fetches, also those without a scheme."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from accelerator_portal.checks.programs import program_of
from accelerator_portal.install.payload import registry_of, text_addresses

_HOST = re.compile(
    r"(?:[^\s/@]{1,80}@)?((?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{1,62})(?=[:/?#]|\Z)", re.IGNORECASE
)
_REMOTE = re.compile(r"(?:[\w.-]{1,80}@)([\w.-]{1,253}):(?!//)")
_REMOTE_HOST = re.compile(
    r"(?:[^\s/@]{1,80}@)?((?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{1,62})(?=[:/?#]|\Z)", re.IGNORECASE
)
_IMAGE = re.compile(r"(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}(?::\d{1,5})?/|localhost[:/]", re.IGNORECASE)

# Options of curl and wget whose value is the next word, and no address.
_VALUES = frozenset(
    {"--cookie", "--data", "--directory-prefix", "--form", "--header", "--max-time", "--output",
     "--output-document", "--request", "--user", "--user-agent", "-A", "-F", "-H", "-O", "-P", "-T",
     "-X", "-a", "-b", "-c", "-d", "-e", "-m", "-o", "-u", "-w", "-x"}
)  # fmt: skip
_WHOLE = frozenset(
    {"aria2c", "axel", "curl", "invoke-restmethod", "invoke-webrequest", "irm", "iwr", "wget",
     "wget2", "xh"}
)  # fmt: skip
_COPYING = frozenset({"git", "rsync", "scp", "sftp"})
_CONTAINERS = frozenset({"docker", "nerdctl", "podman"})


def addresses(words: Sequence[str]) -> Iterator[str]:
    """Yield every address that a command names."""
    for word in words:
        yield from text_addresses(word)
    yield from implied_addresses(words)


def implied_addresses(words: Sequence[str]) -> Iterator[str]:
    """Yield the addresses that are written without a scheme, as addresses with one."""
    for word in words:
        if found := _REMOTE.match(word):
            yield f"ssh://{found[1]}/"
    program, arguments = program_of(words)
    if program in _WHOLE:
        yield from _without_scheme(arguments, flag="-O" if program == "curl" else "")
    elif program in _COPYING:
        hosts = (_REMOTE_HOST.match(word) for word in arguments)
        yield from (f"ssh://{found[1]}/" for found in hosts if found)
    elif program in _CONTAINERS:
        yield from _images(arguments)


def _without_scheme(arguments: Sequence[str], flag: str) -> Iterator[str]:
    """What is no option and no option's value; curl's `-O` has none, unlike wget's."""
    skip = False
    for word in arguments:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in _VALUES and word != flag
        elif "://" not in word and (found := _HOST.match(word)):
            yield f"https://{found[1].lower()}/"


def _images(arguments: Sequence[str]) -> Iterator[str]:
    """The image of a `pull`, and what may be one of a `run`."""
    command = arguments[0] if arguments else ""
    named = [word for word in arguments[1:] if not word.startswith(("-", "/", "."))]
    if command in {"pull", "push"} and named:
        yield f"https://{registry_of(named[0])}/"
    elif command in {"run", "create", "build"}:
        yield from (f"https://{registry_of(word)}/" for word in named if _IMAGE.match(word))
