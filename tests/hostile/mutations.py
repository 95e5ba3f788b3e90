"""Good data with something hostile in some place: what a parser meets beyond its first check."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from tests.hostile import texts

Path = tuple[str | int, ...]

# fmt: off
_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**18, 10**400, 1e308, float("inf"), float("nan"),
    "", " ", "\n", "\x00", "\x1b[31m", "\u202e", "\ufeff", "\U0001f600", "x" * 5000, "9" * 5000,
    "..", "../x", "/etc/passwd", "con", "index", "a b", "A", "é", "{torch}", "{torch.__class__}",
    "{0}", "*", "2.10", "1.10.0", "cuda", "ex2", "linux", "passed", "failed", "inference",
    "2026-01-02", "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+14:00", "https://example.org/",
    "javascript:alert(1)", [], {}, [[]], [None], [""], {"": ""}, {"x": {"x": {}}}, ["x"] * 300,
)
# fmt: on
ODD = st.one_of(
    st.sampled_from(_ODD).map(copy.deepcopy),  # what is drawn may be changed later
    st.sampled_from(list(texts.ALL.values())),
    st.text(),
)


def places(value: Any, path: Path = ()) -> list[Path]:  # noqa: ANN401 - any JSON
    """Return where something stands."""
    inner: Any = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    return [path, *(place for key, v in inner for place in places(v, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn, base: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return a copy in which one to three things are replaced, removed, doubled or added."""
    whole = {"": copy.deepcopy(base)}
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(places(whole)[1:]))
        holder: Any = whole
        for key in path[:-1]:
            holder = holder[key]
        _change(draw, holder, path[-1])
    return whole[""]


def _change(draw: st.DrawFn, holder: Any, key: Any) -> None:  # noqa: ANN401 - any JSON
    what = draw(st.sampled_from(["replace", "replace", "remove", "double", "add", "extend"]))
    value = holder[key]
    if what == "remove" and key != "":
        del holder[key]
    elif what == "double" and isinstance(holder, list):
        holder.append(copy.deepcopy(value))
    elif what == "add" and isinstance(value, dict):
        value[draw(st.text(max_size=20))] = draw(ODD)
    elif what == "add" and isinstance(value, list):
        value.append(draw(ODD))
    elif what == "extend" and isinstance(value, str):
        holder[key] = value + draw(st.text(max_size=20))
    else:
        holder[key] = draw(ODD)
