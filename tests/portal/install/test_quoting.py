from __future__ import annotations

import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_portal.install.commands import (
    UnquotableError,
    command_line,
    quote_address,
    set_variable_command,
)

WORDS = st.lists(
    st.text(max_size=12) | st.text("aZ9 .-=+\\/'\"$`%!&|;<>(){}[]@#~^*?,“\n\t"), min_size=1
)

# What cannot be written so that PowerShell and cmd read it alike.
NO_FORM = re.compile(r'["$`%!\x00-\x1f“”„]|\\$|^$')


def read_on_windows(line: str) -> list[str]:
    """Split a line as PowerShell and cmd both would; fail where one would do anything else."""
    words = []
    for match in re.finditer(r'"([^"]*)"|(\S+)', line):
        quoted, plain = match.groups()
        if plain is None:
            assert not re.search(r"[$`%!\x00-\x1f“”„]", quoted), "expanded inside quotes"
            assert not quoted.endswith("\\"), "the backslash would keep the quote open"
        else:
            assert not re.search(r"[\"'`$%!&|<>^(){}\[\];,#~*?“”„‘’]", plain), "has a meaning"  # noqa: RUF001
            assert not plain.startswith("@"), "PowerShell's splatting"
            assert not re.match(r"-[A-Za-z_][^.]*\.", plain), "PowerShell splits at the dot"
        words.append(plain if quoted is None else quoted)
    return words


@given(words=WORDS)
@pytest.mark.parametrize("os", ["linux", "macos"])
def test_a_shell_reads_exactly_the_words(os: str, words: list[str]) -> None:
    assert shlex.split(command_line(words, "linux" if os == "linux" else "macos")) == words


@given(words=WORDS)
def test_windows_shells_read_exactly_the_words_or_the_portal_refuses(words: list[str]) -> None:
    try:
        line = command_line(words, "windows")
    except UnquotableError as error:
        refused = str(error)
    else:
        assert read_on_windows(line) == words
        return
    assert refused in words
    assert NO_FORM.search(refused)


@pytest.mark.parametrize(
    ("word", "linux", "windows"),
    [
        ("torch==2.10.0", "torch==2.10.0", "torch==2.10.0"),
        ("https://example.org/a+b", "https://example.org/a+b", "https://example.org/a+b"),
        ("torch[extra]", "'torch[extra]'", '"torch[extra]"'),
        ("torch>=2,<3", "'torch>=2,<3'", '"torch>=2,<3"'),
        ("a b", "'a b'", '"a b"'),
        ("a;b", "'a;b'", '"a;b"'),
        ("it's", "'it'\"'\"'s'", '"it\'s"'),
        ("@file", "@file", '"@file"'),
        ("-Dx.y=1", "-Dx.y=1", '"-Dx.y=1"'),
        ("-Dx-y.z", "-Dx-y.z", '"-Dx-y.z"'),
        ("--torch-backend=rocm6.4", "--torch-backend=rocm6.4", "--torch-backend=rocm6.4"),
        ("C:\\dir\\", "'C:\\dir\\'", "C:\\dir\\"),
    ],
)
def test_a_word_has_quotes_where_a_shell_needs_them(word: str, linux: str, windows: str) -> None:
    assert command_line([word], "linux") == linux
    assert command_line([word], "macos") == linux
    assert command_line([word], "windows") == windows


@pytest.mark.parametrize(
    "word", ['say "x"', "$HOME", "a`b", "%PATH%", "hi!", "a\nb", "", "C:\\a b\\", "“x”"]
)
def test_a_word_without_a_windows_form_is_refused(word: str) -> None:
    with pytest.raises(UnquotableError, match=f"^{re.escape(word)}$"):
        command_line(["run", word], "windows")


def test_variables_are_set_as_each_shell_sets_them() -> None:
    assert set_variable_command("A", "0 1", "linux") == "export A='0 1'"
    assert set_variable_command("A", "", "macos") == "export A=''"
    assert set_variable_command("A", "0 1", "windows") == '$env:A = "0 1"'
    with pytest.raises(UnquotableError):
        set_variable_command("A", "$HOME", "windows")


@given(value=st.text())
def test_a_shell_reads_exactly_the_variable(value: str) -> None:
    assert shlex.split(set_variable_command("A", value, "linux")) == ["export", f"A={value}"]


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://example.org/a-1.0%2Bcpu.zip", "https://example.org/a-1.0%2Bcpu.zip"),
        ("https://example.org/a.zip", "https://example.org/a.zip"),
        ("https://example.org/a%2Bb%2Bc.zip", None),  # cmd takes %2Bb% for a variable
        ("https://example.org/a%2B$b", None),
    ],
)
def test_an_address_may_have_one_percent_sign_on_windows(url: str, found: str | None) -> None:
    if found is None:
        with pytest.raises(UnquotableError):
            quote_address(url, "windows")
    else:
        assert quote_address(url, "windows") == found
    assert shlex.split(quote_address(url, "linux")) == [url]
