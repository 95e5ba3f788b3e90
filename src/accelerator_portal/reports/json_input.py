"""Reading JSON that anybody may have written."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NoReturn

from accelerator_portal.reports.reading import read_text, refuse


def load_json(path: Path) -> Any:  # noqa: ANN401 - any JSON
    """Return the value that a JSON file holds; raises ProblemsError."""
    try:
        return parse_json(read_text(path))
    except json.JSONDecodeError as error:
        raise refuse(path, error.lineno, json_fault(error), "create the file again") from None
    except ValueError as error:
        raise refuse(path, 1, str(error), "create the file again") from None


def json_fault(error: json.JSONDecodeError) -> str:
    """Say what is wrong with a JSON text, and in which column of its line."""
    return f"invalid JSON in column {error.colno}: {error.msg[:1].lower()}{error.msg[1:]}"


def parse_json(text: str) -> Any:  # noqa: ANN401 - any JSON
    """Return the value of a JSON text.

    Raises ValueError (JSONDecodeError, where the place is known) for what is no JSON, for NaN and
    infinity, and for values nested too deeply.
    """
    try:
        return json.loads(text, parse_constant=no_number, parse_float=finite_number)
    except RecursionError:
        raise ValueError("the values are nested too deeply") from None
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        if "digits" in str(error):  # Python reads no integer of more than 4,300
            raise ValueError("a number has too many digits") from None
        raise


def no_number(word: str) -> NoReturn:
    """Refuse what JSON does not know: NaN and infinity."""
    raise ValueError(f"{word} is not a valid JSON number")


def finite_number(word: str) -> float:
    """Return a number, or refuse one that is too large for any."""
    value = float(word)
    if math.isinf(value):
        raise ValueError(f"{word[:30]} is too large for a number")
    return value
