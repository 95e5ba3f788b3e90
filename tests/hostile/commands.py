"""Commands that run what they fetch, every way to fetch in every way to run: `commands.yaml`."""

from __future__ import annotations

from pathlib import Path

import yaml

_TABLES = yaml.safe_load(Path(__file__).with_name("commands.yaml").read_text("utf-8"))

FETCHING: dict[str, str] = _TABLES["fetching"]
RUNNING: dict[str, str] = _TABLES["running"]
BY_DESIGN: dict[str, str] = _TABLES["by design"]

UNSEEN = frozenset({"eval", "shc", "heredoc", "trap", "PROMPT", "alias", "here"})
"""With a program in quotation marks within quotation marks, `python` is not seen in these."""
