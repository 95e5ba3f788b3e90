"""Whatever somebody answers: a plain refusal, problems of the check, or a folder with the very words."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from accelerator_portal.checks import load_and_check
from accelerator_portal.install.expand import expand
from accelerator_portal.site.vendor_text import SourceList, render_section
from tests.day import TODAY
from tests.folders import EXAMPLE, FORMS, problems_in, read_tree, write_tree
from tests.portal.cli.test_new import HOSTS, LISTED, flags, run

ACCELERATOR, INSTALL = "accelerator.yaml", "install.yaml"

# Where the words of each answer end up; those of a paragraph are joined by single spaces.
PLACES = {
    "name": (ACCELERATOR, ("name",)),
    "vendor": (ACCELERATOR, ("vendor",)),
    "device": (ACCELERATOR, ("device", "value")),
    "dispatch-key": (ACCELERATOR, ("dispatch_key", "value")),
    "summary": (ACCELERATOR, ("summary",)),
    "description": (ACCELERATOR, ("description",)),
    "needs": (INSTALL, ("requires", 0, "name")),
    "url": (ACCELERATOR, ("sources", "documentation", "url")),
    "support": (ACCELERATOR, ("support", 0, "url")),
    "mark": (ACCELERATOR, ("mark",)),
    "import": (ACCELERATOR, ("package", "import")),
}

HOSTILE = [
    "'", '"', "''", '"\'"', "a: b", "- a", "# a", "a #b", "{a: b}", "[a]", "&a", "*a", "!!python/x",
    "|", ">", "%YAML 1.1", "---", "...", "? a", "~", "null", "yes", "2.10", "1e3", "0x10", "=",
    "<<", "2026-01-01", "12:30:45", "a\nb", "a\r\nb: c", "a\tb", "\x00", "\x1b[31m",
    "\u202egnp.exe", "\u200b", "\ufeff", "\u2028", "\x85", "\ud800", "\ufffe", "\U0001f600",
    "e\u0301", "\u0440\u0430", "</script><script>alert(1)</script>", "<!-- x -->", "{{ 7 * 7 }}",
    "{% raw %}", "{torch}", "[@documentation]", "[@x]", "[x](javascript:alert(1))",
    "![x](https://x/y.png)", "```", "~~~", "## Prepare", "\\", "\\n", "$(id)", "`id`", "%PATH%",
    "x" * 10_000, " ", "", "-", "--yes", "https://example.org/[@x]", "https://example.org/a)b",
    "https://example.org/<b>", "https://\u0435.org", "https://user@example.org/",
    "data:text/html,x", "__import__('os')", "../..", "CON",
]  # fmt: skip

TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(max_size=60),
    st.tuples(st.sampled_from(HOSTILE), st.text(max_size=8)).map("".join),
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {**EXAMPLE, **FORMS, HOSTS: LISTED}
    return write_tree(tmp_path_factory.mktemp("hostile") / "repository", files)


def found(data: object, place: tuple[str | int, ...]) -> object:
    for key in place:
        data = data[key]  # type: ignore[index] # a mapping or a list, as PLACES say
    return data


def judge(root: Path, flag: str, text: str) -> bool:
    """Create a folder with this answer, check it and remove it; return whether it was written."""
    before = read_tree(root)
    result = run(root, "foo", *flags(**{flag: text}))
    try:
        assert "Traceback" not in result.output
        assert isinstance(result.exception, SystemExit | None)
        folder = root / "accelerators/foo"
        if not folder.exists():
            assert result.exit_code == 2
            assert read_tree(root) == before
            assert result.output.strip()
            return False
        problems = problems_in(root)
        assert bool(problems) == bool(result.exit_code), problems
        assert all(problem in result.stdout for problem in problems)
        name, place = PLACES[flag]
        data = yaml.safe_load((folder / name).read_text("utf-8"))
        expected = " ".join(text.split()) if flag == "description" else text.strip()
        assert not text.strip() or found(data, place) == expected
        return True
    finally:
        shutil.rmtree(root / "accelerators/foo", ignore_errors=True)
        write_tree(root, before)


@settings(max_examples=60)
@given(flag=st.sampled_from(sorted(PLACES)), text=TEXTS)
@example(flag="name", text="[@documentation] *x* `y`")
@example(flag="vendor", text="a" * 400)
@example(flag="description", text="# a: b - c " * 30)
@example(flag="device", text='"[@x]" # ```')
@example(flag="url", text="https://example.org/[@x]?a=b&c=%5B")
def test_an_answer_is_refused_or_kept_to_the_letter(flag: str, text: str, root: Path) -> None:
    judge(root, flag, text)


def test_every_hostile_word_where_it_matters_most(root: Path) -> None:
    """All of them one after the other, so that no run depends on what was drawn."""
    written = [judge(root, flag, text) for flag in ("vendor", "url") for text in HOSTILE]
    assert sum(written) > 30


def test_the_guide_shows_its_link_and_its_code_whatever_was_said(root: Path) -> None:
    url = "https://example.org/[@x]_a_*b*"
    result = run(root, "foo", *flags(url=url))
    assert result.exit_code == 0, result.output
    catalog, _ = load_and_check(root, TODAY)
    assert catalog is not None
    assert expand(catalog)[1] == ()
    made = catalog.by_id["foo"]
    guide = made.guide
    shown = [
        str(render_section(guide, SourceList(made.sourced_files()), section.text, "x"))
        for section in guide.sections
    ]
    assert 'href="https://example.org/%5B@x%5D_a_*b*"' in shown[0]
    assert 'torch.device("foo")' in shown[2]
    shutil.rmtree(root / "accelerators/foo")
