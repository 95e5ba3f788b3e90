"""Renders the page templates with Jinja, and defines filters that escape and format text."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import Any

import jinja2
from jinja2 import (
    BytecodeCache,
    Environment,
    FileSystemBytecodeCache,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    nodes,
    pass_context,
)
from jinja2.bccache import Bucket
from jinja2.ext import Extension
from jinja2.parser import Parser
from markupsafe import Markup, escape

from accelerator_portal.catalog.message import Translatable, translatable
from accelerator_portal.catalog.schema import slug
from accelerator_portal.site.commands_table import type_words
from accelerator_portal.site.languages import ENGLISH, Language
from accelerator_portal.site.plots import Plot, svg
from accelerator_portal.site.site_file import SiteFile, to_root
from accelerator_portal.site.text_formats import (
    EXTENT_WORDS,
    comma_separated,
    expected_words,
    format_number,
    grouped_number,
    lifecycle_words,
    os_name,
    outcome_words,
    prose_list,
    python_range,
    without_patterns,
)
from accelerator_portal.site.vendor_text import SourceEntry, citation, superscript
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.text_file import HIDDEN_CHARACTER, escape_sequence
from accelerator_reports.files.wording import count
from accelerator_reports.outcomes import OUTCOMES
from accelerator_reports.suite_names import suite_folder

TEMPLATES_FOLDER = "site_src/templates"

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|])")
_BACKTICKS = re.compile(r"`([^`]+)`")
# Short words only, such as --index-url or x86-64: long ones have to break in narrow columns.
_HYPHENATED = re.compile(r"(?<!\S)(?=[^\s=,;&]{2,22}(?:[\s=,;]|$))[^\s=,;&]*-[^\s=,;&]*")


class _TemplateCache(FileSystemBytecodeCache):
    """Keeps compiled templates in the user's folder for temporary files, for all languages.

    Nothing is kept where that folder cannot be used.
    """

    # What a compiled template depends on beside its text: Jinja, and the settings in this file.
    _settings = sha256(jinja2.__version__.encode() + Path(__file__).read_bytes()).hexdigest()

    def get_cache_key(self, name: str, filename: str | None = None) -> str:  # noqa: ARG002 - Jinja's
        """Return a key for the template `name`, the same in several folders."""
        return sha256(f"{self._settings} {name}".encode()).hexdigest()

    def get_bucket(
        self, environment: Environment, name: str, filename: str | None, source: str
    ) -> Bucket:
        """Return the compiled template, which names this file, for messages about errors."""
        bucket = super().get_bucket(environment, name, filename, source)
        if bucket.code and filename:
            bucket.code = _in_file(bucket.code, filename)
        return bucket

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a compiled template; Jinja checks whether it is up to date."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


def _in_file(code: CodeType, filename: str) -> CodeType:
    inner = (_in_file(c, filename) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=filename, co_consts=tuple(inner))


def template_cache() -> BytecodeCache | None:
    """Return a cache of compiled templates, or None if none can be kept."""
    with suppress(OSError, RuntimeError):  # Jinja refuses a folder of another user
        return _TemplateCache()
    return None


class Templates:
    """Renders the templates of a folder. An undefined name in a template is an error.

    All templates can use `language`, `outcomes` (the test outcomes with their meaning),
    `extent_words` (words for how well a feature works) and the variables in `shared`. Templates of
    pages can also use `to_root`, the relative address of the site's root.
    """

    def __init__(
        self,
        folder: Path,
        language: Language = ENGLISH,
        **shared: Any,  # noqa: ANN401 - whatever pages share
    ) -> None:
        self.language = language
        self._folder = folder
        self._environment = Environment(
            loader=FileSystemLoader(folder),
            bytecode_cache=template_cache(),
            optimized=False,  # results of filters differ by language, and are not to be kept
            extensions=["jinja2.ext.i18n", Lines],
            autoescape=True,
            undefined=StrictUndefined,
            finalize=pass_context(lambda _context, value: self._finalize_value(value)),
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.newstyle_gettext = True  # type: ignore[attr-defined] # of the extension
        self._environment.globals.update(
            shared,
            outcomes=OUTCOMES,
            extent_words=EXTENT_WORDS,
            language=language,
            gettext=self._gettext,
            ngettext=self._ngettext,
        )
        self._environment.tests["message"] = lambda text: isinstance(text, Translatable)
        self._environment.filters.update(
            markdown=_escape_markdown,
            inline_code=_inline_code,
            unbroken=_unbroken_words,
            one_line=_one_line,
            python_range=python_range,
            listed=prose_list,
            report_kind=Translatable,
            translatable=translatable,
            separated=comma_separated,
            outcome_words=outcome_words,
            expected_words=expected_words,
            number=format_number,
            without_patterns=without_patterns,
            counted=count,
            grouped=grouped_number,
            lifecycle_words=lifecycle_words,
            os_name=os_name,
            type_words=type_words,
            slug=slug,
            suite_folder=suite_folder,
            cite=self._citation_links,
            svg=self._svg,
        )

    def render(self, name: str, /, **context: Any) -> str:  # noqa: ANN401 - whatever the page needs
        """Return the text that the template `name` renders.

        Raises ProblemsError if it has an error.
        """
        try:
            return self._environment.get_template(name).render(**context)
        except TemplateError as error:
            raise ProblemsError([self._problem(error)]) from error

    def syntax_problems(self) -> Iterator[Problem]:
        """Yield the first syntax error of each template."""
        for name in self._environment.list_templates():
            try:
                self._environment.get_template(name)
            except TemplateError as error:
                yield self._problem(error)

    def page(self, path: str, *, edit: str = "", template: str = "", **context: Any) -> SiteFile:  # noqa: ANN401 - as above
        """Return the page at `path`, rendered from its template.

        `template` is by default `path` with the suffix `.j2`. `edit` is the repository file that
        the page's edit link opens, by default the template.
        """
        template = template or f"{path}.j2"
        text = self.render(template, to_root=to_root(path), **context)
        return SiteFile(path, text, edit or f"{TEMPLATES_FOLDER}/{template}")

    def _problem(self, error: TemplateError) -> Problem:
        """Return an error as a problem in the innermost template of its traceback."""
        path, line = TEMPLATES_FOLDER, 1
        for frame in traceback.extract_tb(error.__traceback__):
            if (file := Path(frame.filename)).is_relative_to(self._folder):
                path = f"{TEMPLATES_FOLDER}/{file.relative_to(self._folder).as_posix()}"
                line = frame.lineno or 1
        return Problem(path, line, error.message or "error", "correct the template")

    def _finalize_value(self, value: object) -> object:
        if isinstance(value, Translatable):
            value = self.language.translate(value)
        return _show_hidden_characters(value) if type(value) is str else value

    def _citation_links(self, entries: list[SourceEntry], page: str = "") -> Markup:
        links = (citation(entry, page, self.language) for entry in entries)
        return Markup(superscript(links))  # noqa: S704 - escaped there

    def _svg(self, plot: Plot) -> Markup:
        return Markup(svg(plot, lambda text: str(self._finalize_value(text))))  # noqa: S704 - escaped there

    def _gettext(self, text: str, /, **values: object) -> Markup:
        return self._fill_message(self.language.gettext(text), values)

    def _ngettext(self, one: str, many: str, count: int, /, **values: object) -> Markup:
        return self._fill_message(
            self.language.ngettext(one, many, count), {"num": grouped_number(count), **values}
        )

    def _fill_message(self, text: str, values: Mapping[str, object]) -> Markup:
        """Return a message as HTML, with values in place of its placeholders.

        The values are escaped. The message is not escaped, because it is the project's own HTML.
        """
        if "%" not in text:
            return Markup(text)  # noqa: S704 - as said; most messages are plain labels
        final_values = {name: self._finalize_value(value) for name, value in values.items()}
        return Markup(text) % final_values  # noqa: S704 - as said


class Lines(Extension):
    """Adds the tags `{% line %}` and `{% inline %}`, which join template lines.

    `line` joins the lines up to its end tag into one line. `inline` joins them into a part of a
    line. Line breaks in values are kept. With these tags, a template can have one line for each
    cell of a table row, although Markdown requires a row on one line.
    """

    tags = {"line", "inline"}  # noqa: RUF012 - as Jinja declares it

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """Return the nodes between a tag and its end tag, without the template's line breaks."""
        tag = next(parser.stream)
        body = parser.parse_statements((f"name:end{tag.value}",), drop_needle=True)
        for node in body:
            for text in node.find_all(nodes.TemplateData):
                text.data = text.data.replace("\n", "")
        end = "\n" if tag.value == "line" else ""
        return [*body, nodes.Output([nodes.TemplateData(end)], lineno=tag.lineno)]


def _show_hidden_characters(text: str) -> str:
    r"""Return text in which characters that hide or reorder text are escaped, such as `\u202e`.

    Contributed files cannot contain such characters, but reports can.
    """
    if text.isascii() and text.isprintable():
        return text
    return HIDDEN_CHARACTER.sub(lambda m: m[0] if m[0] == "\r" else escape_sequence(m[0]), text)


def _escape_markdown(text: str) -> Markup:
    """Return text with the special characters of Markdown and HTML escaped."""
    text = _show_hidden_characters(text)
    return Markup(str(escape(_MARKDOWN.sub(r"\\\1", text))))  # noqa: S704 - made harmless just here


def _inline_code(text: str) -> Markup:
    """Return text as HTML, with parts in backticks as code."""
    return Markup(_BACKTICKS.sub(r"<code>\1</code>", str(escape(_show_hidden_characters(text)))))  # noqa: S704 - the same


def _unbroken_words(text: str) -> Markup:
    """Return text as HTML in which browsers do not break words like `x86-64` at hyphens."""
    escaped = text if isinstance(text, Markup) else escape(_show_hidden_characters(text))
    html = _HYPHENATED.sub(r'<span class="unbroken">\g<0></span>', str(escaped))
    return Markup(html)  # noqa: S704 - the same


def _one_line(text: str) -> str:
    """Return text on one line, because a blank line would end HTML in Markdown."""
    return " ".join(text.split())
