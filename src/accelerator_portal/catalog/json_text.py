"""Writes JSON with a line for each value of the outer levels, for readable diffs."""

from __future__ import annotations

import json


def json_text(data: object, depth: int) -> str:
    """Return `data` as JSON, with a line for each value in the outer `depth` levels.

    Deeper mappings and lists are on one line. Empty ones always are.
    """
    if not depth or not data or not isinstance(data, dict | list):
        return json.dumps(data, ensure_ascii=False)
    items = (
        [f"{json.dumps(key)}: {json_text(value, depth - 1)}" for key, value in data.items()]
        if isinstance(data, dict)
        else [json_text(item, depth - 1) for item in data]
    )
    start, end = "{}" if isinstance(data, dict) else "[]"
    return "\n".join([start, ",\n".join(items), end])
