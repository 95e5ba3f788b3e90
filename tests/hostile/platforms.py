"""Invented platforms whose every text is a hostile one: accepted, and to be harmless on the site.

The same platforms with plain words instead are their twins: what the two sites' pages are made of
must not differ.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import yaml

from tests.built_site import EXAMPLE, copy_sources
from tests.hostile import markdown, texts

# Ids that come near to ids and words of the site's own, with names that a theme might trip over.
NAMES: Mapping[str, str] = {
    "acme": "A_c_m*e* {{ 7 * 7 }} {: onclick=x }",
    "acme-x": '"onmouseover="alert(1)',
    "faq": "'onfocus='alert(1) autofocus x='",
    "install": "`x` ~~~ # [x](javascript:x)",
    "__proto__".strip("_"): "{% raw %} {# ${alert(1)} #}",
}

Words = Callable[[str], str]
"""What stands for a text: itself, or plain words of its own."""

_SECTIONS = ("Prepare", "Install", "Start", "Deploy", "Help")


def plainly() -> Words:
    """Return what gives each text plain words, always the same."""
    known: dict[str, str] = {}
    return lambda text: known.setdefault(text, f"plain {len(known)}")


class Supply:
    """Gives out the text that was given the fewest times, and has room."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self.given = Counter(dict.fromkeys(texts.ALL.values(), 0))

    def next(self, limit: int = 400, *, without: str = "") -> str:
        """Return the next text that has room, and none of the signs `without`."""
        fitting = (t for t in self.given if len(t) <= limit and not set(t) & set(without))
        text = min(fitting, key=self.given.__getitem__)
        self.given[text] += 1
        return self._words(text)


def hostile_sources(target: Path, words: Words = str) -> Supply:
    """Write a repository of hostile platforms, or of their twins; return what texts it has."""
    root = copy_sources(target, EXAMPLE)
    supply = Supply(words)
    folder = root / "accelerators/acme"
    base = {file.name: file.read_text("utf-8") for file in folder.iterdir() if file.is_file()}
    runs = {file.name: json.loads(file.read_text("utf-8")) for file in folder.glob("results/*")}
    for number, (platform, name) in enumerate(NAMES.items()):
        place = root / "accelerators" / platform
        (place / "results").mkdir(parents=True, exist_ok=True)
        shown = name if words is str else f"Platform {number}"
        for file, change in _FILES.items():
            data = yaml.safe_load(base[file])
            change(data, supply)
            if file == "accelerator.yaml":
                data |= {"name": shown, "mark": f"A{number}"}
                data["package"]["name"] = f"torch-acme{number}"
            _write(place / file, data)
        _write(place / "known-issues.yaml", _known_issues(supply))
        _write(place / "stated-models.yaml", _stated_models(supply))
        for file, text in _guides(number, words).items():
            (place / file).write_text(text, "utf-8")
        for run, (file, data) in enumerate(runs.items()):
            report = _report(copy.deepcopy(data) | {"accelerator": platform}, number, words, run)
            (place / "results" / file).write_text(json.dumps(report), "utf-8")
    return supply


def _write(file: Path, data: object) -> None:
    """JSON is YAML."""
    file.write_text(json.dumps(data, indent=1, default=str, ensure_ascii=False), "utf-8")


def _accelerator(a: dict[str, Any], supply: Supply) -> None:
    a["vendor"] = supply.next()
    a["summary"] = supply.next(160)
    a["description"] = supply.next()
    for key in ("integration", "dispatch_key", "device", "package"):
        a[key]["note"] = supply.next()
    a["description"] += f" {supply.next(160)} {supply.next(160)}"
    for system in a["operating_systems"]:
        system |= {"name": supply.next(), "note": supply.next()}
    for way in a["identify"]:
        way |= {"command": supply.next(), "shows": supply.next(without="`")}  # it may have code
    hardware = a["hardware"]
    hardware |= {"chip": supply.next(40), "note": supply.next()}
    for generation in hardware["generations"]:
        generation |= {"name": supply.next(60), "chip": supply.next(40), "note": supply.next()}
        generation["also"] = [
            supply.next(without="#*"),
            supply.next(without="#*"),
        ]  # else patterns, not shown
        for build in generation["builds"]:
            build["note"] = supply.next()
        for model in generation["models"]:
            model |= {
                "name": supply.next(80),
                "also": [supply.next(without="#*")],
                "note": supply.next(),
            }
            model |= {"memory": supply.next(), "power": supply.next()}
    for feature in a["features"].values():
        feature["note"] = supply.next()
        if feature["works"] == "partly":
            feature["part"] = supply.next(14)
    for access in a["access"]:
        access |= {"title": supply.next(), "note": supply.next()}
    a["support"][0]["title"] = supply.next()
    a["documentation"] = [{"title": supply.next(), "url": "https://example.org/%3Cscript%3E"}]
    a["maintainers"] = [{"name": supply.next(), "github": "acme", "source": "manual"}]
    a["sources"]["manual"]["title"] = supply.next()


def _install(install: dict[str, Any], supply: Supply) -> None:
    for variant in install["variants"]:
        variant["name"] = supply.next()
    requirement = install["variants"][0]["requires"][0]
    requirement |= {"name": supply.next(), "version": supply.next()}
    install["requires"] = [{"name": supply.next(), "source": "manual"}]
    install["checks"]["python"]["prints"] = supply.next(without="{}")
    for option in install["options"]:
        option["note"] = supply.next()
    install["sources"]["manual"]["title"] = supply.next()


def _compatibility(versions: dict[str, Any], supply: Supply) -> None:
    versions["components"] = supply.next()
    for row in versions["rows"]:
        row |= {"needs": {supply.next(): supply.next()}, "includes": {supply.next(): supply.next()}}
        row |= {"note": supply.next()}
        row["lifecycle"] = {"status": supply.next(), "note": supply.next(), "until": "2099-01-01"}
    versions["sources"]["manual"]["title"] = supply.next()


_FILES: Mapping[str, Callable[[dict[str, Any], Supply], None]] = {
    "accelerator.yaml": _accelerator,
    "install.yaml": _install,
    "compatibility.yaml": _compatibility,
}


def _known_issues(supply: Supply) -> dict[str, Any]:
    issue = {"action": "expect", "url": "https://example.org/1", "expires": "2099-01-01"}
    return {
        "issues": [
            issue | {"glob": f"*/{supply.next()}", "reason": supply.next()} for _ in range(3)
        ]
    }


def _stated_models(supply: Supply) -> dict[str, Any]:
    """A list of models."""
    url = f"https://github.com/acme/plugin/blob/{'0' * 40}/%3Cscript%3E.md"
    models = [
        {"name": supply.next(), "examples": supply.next(), "details": supply.next()}
        for _ in range(3)
    ]
    columns = {"name": supply.next(), "examples": supply.next(), "headings": [supply.next()]}
    listed: dict[str, object] = {"source": "list", "by": "Acme", "software": supply.next()}
    listed |= {**columns, "rows": 4, "left_out": {supply.next(): 1}, "models": models}
    title = supply.next()
    return {
        "sources": {"list": {"url": url, "title": title, "read": "2026-01-02"}},
        "lists": [listed],
    }


def _guides(number: int, words: Words) -> dict[str, str]:
    """Each fifth of the accepted Markdown, as sections of the guide and as answers."""
    front = "---\n{sources: {manual: {url: 'https://example.org/', title: x, read: 2026-01-02}}}\n"
    front = front.replace("{sources", "sources").replace("}}}", "}}") + "---\n\n"
    own = list(markdown.ACCEPTED.values())[number :: len(NAMES)]
    if words is not str:
        own = ["Plain words."] * len(own)
    guide = "\n\n".join(
        f"## {title}\n\nWords [@manual].\n\n" + "\n\n".join(own[place :: len(_SECTIONS)])
        for place, title in enumerate(_SECTIONS)
    )
    lines = (text for text in own if "\n" not in text and text[0] not in "#>[&|-1:= ")
    titles = [line for line in lines if "<" not in line or line.startswith("`<")]
    faq = "\n\n".join(
        f"## Why {title}?\n\nWords [@manual].\n\n{text}"
        for title, text in _titled(titles, own, words)
    )
    return {"guide.md": f"{front}{guide}\n", "faq.md": f"{front}{faq}\n"}


def _titled(
    titles: Sequence[str], answers: Sequence[str], words: Words
) -> Iterator[tuple[str, str]]:
    for title, answer in zip(cycle(titles or [""]), answers, strict=False):
        yield (title if words is str else "x"), answer


def _report(report: dict[str, Any], number: int, words: Words, run: int) -> dict[str, Any]:
    """Each fifth of the texts as names of tests, and in each report all as something."""
    every = [words(text) for text in texts.ALL.values()]
    few = every[:: len(every) // 6]
    turn = cycle(every)
    report["note"] = next(turn)
    report["environment"] |= {"hardware": next(turn), "driver": next(turn), "os": next(turn)}
    report["environment"]["plugin"] = {"name": next(turn), "version": next(turn)}
    report["environment"]["packages"] = {next(turn): next(turn)}
    report["suites"][0]["command"] = next(turn)
    report["tests"] = [
        {
            "suite": "made-up",
            "name": name[:200],
            "parameters": {"dtype": "float32", "shapes": few[place % len(few)]},
            "outcome": "passed" if run == 2 else "failed",
            "reason": next(turn),
            "log_tail": f"{next(turn)}\n\n{next(turn)}",
            "raw_status": next(turn)[:200],
            "command": next(turn),
            "known_issue": {"url": "https://example.org/%22onclick=x"},
            "evidence": [{"label": next(turn)[:200], "url": "https://example.org/?a=1&lt=2"}],
            "metrics": {"speed": {"value": 1.5, "unit": next(turn)[:200]}},
        }
        for place, name in enumerate(["first", *every[number :: len(NAMES)]])
    ]
    return report
