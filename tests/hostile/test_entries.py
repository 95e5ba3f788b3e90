"""Whatever an entry of `additional-platforms.json` says, `new` ends with a message.

Each value of a good entry is replaced with each text; so is each part of its commands.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from accelerator_reports.cli import main
from tests.folders import EXAMPLE, FORMS, Tree
from tests.hostile.mutations import places
from tests.hostile.test_imported_files import TEXTS
from tests.portal.cli.additional_platforms import FILE
from tests.portal.cli.test_new import FLAGS

COMMANDS = (
    "pip install {}",
    "pip install torch=={}",
    "pip install torch==1.10.0 torch-first=={}",
    "pip install torch-first[{}]==1.2",
    "pip install 'torch-first @ {}'",
    "pip install 'torch-first; {}'",
    "pip install torch --index-url {}",
    "pip install torch --index-url https://{}/simple",
    "pip install torch --index-url https://download.pytorch.org/whl/{}",
    "pip install torch --extra-index-url https://example.net:{}/simple",
    "pip install torch --extra-index-url 'https://example.net/{}'",
    "pip install torch && {}",
)
MORE = {
    **TEXTS,
    "a script address": "javascript:alert(1)",
    "an address of this machine": "http://127.0.0.1:1",
    "a host that is none": "https://xn--/",
    "a substitution": "$(touch x)",
    "a quote": "'",
    "a backtick": "`x`",
    "an option": "--no-deps",
    "a percent sign": "%E2%80%AE",
    "a port that is none": "99999999",
    "an open bracket": "[",
}


def changed(value: str) -> Iterator[tuple[str, Any]]:
    """Yield the file with `value` in each place of the first entry and of its command."""
    entry = FILE["platforms"]["first_card"]
    whole = {**FILE, "platforms": {"first_card": entry}, "html": {}}
    for path in places(whole):
        if path:
            copy = json.loads(json.dumps(whole))
            holder = copy
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = value
            yield ".".join(map(str, path)), copy
    for command in COMMANDS:
        stable = {"linux": command.replace("{}", value)}
        yield command, {**whole, "platforms": {"first_card": {**entry, "stable": stable}}}


def told(done: Result) -> bool:
    """Whether the command ended by itself, with words that can be read."""
    ended = done.exception is None or isinstance(done.exception, SystemExit)
    readable = done.output.replace("\n", "").isprintable()
    return ended and readable and "validation error" not in done.output


@pytest.mark.parametrize("what", MORE)
def test_each_value_of_an_entry_is_refused_by_a_message_or_taken(what: str, tree: Tree) -> None:
    root = tree({**EXAMPLE, **FORMS})
    flags = {
        key: FLAGS[key] for key in ("vendor", "url", "device", "dispatch-key", "arch", "python")
    }
    rest = [word for flag, text in flags.items() for word in (f"--{flag}", text)]
    rest += ["--import", "torch_first", "--torch", "1.10.0", "--package", "torch-first"]
    file = root / "additional-platforms.json"
    wrong = []
    for place, content in changed(MORE[what]):
        file.write_text(json.dumps(content), "utf-8")
        before = files(root)
        new = ["new", "--root", str(root), "first-card", "--from-additional-platforms", str(file)]
        done = CliRunner().invoke(main, [*new, *rest])
        if not told(done) or (done.exit_code == 2 and files(root) != before):
            wrong.append((place, done.exit_code, repr(done.exception)[:300], done.output[:300]))
        restore(root, before)
    assert wrong == []


def files(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def restore(root: Path, before: dict[Path, bytes]) -> None:
    """Take away what the command wrote, so that the next one begins where this one did."""
    for path in files(root).keys() - before.keys():
        path.unlink()
    for folder in sorted((p for p in root.rglob("*") if p.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    for path, content in before.items():
        path.write_bytes(content)
