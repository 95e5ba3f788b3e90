"""Builds the page of all questions, and the index of the question search.

The search finds the answer to a pasted error message. The index has the error messages that answers
declare, and the weights of words. If no answer declares a message, words rank the answers: rare
words count more than common words (BM25), and words of titles and code more than others. The script
`site_src/scripts/question-search.js` reads words in the same way and adds up the weights; a test
compares the two.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import vendor_sites
from accelerator_portal.catalog.markdown_file import CITATION, MarkdownFile, Section
from accelerator_portal.catalog.schema import slug
from accelerator_portal.site.computed_answers import computed_sections, shared_computed_sections
from accelerator_portal.site.languages import ENGLISH, Language
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import PLATFORMS, SiteFile, data_file, to_root
from accelerator_portal.site.text_formats import Anchors
from accelerator_portal.site.vendor_text import SourceList, render_section
from accelerator_reports.files.fields import StrictModel

# The group of questions about all platforms, in place of a platform's id.
ANY_PLATFORM = "any"

# What stands for each device of a plugin in the messages of a question about all platforms.
DEVICE_PLACEHOLDER = "{device}"


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """A question of an FAQ file, with its answer.

    `group` is the platform's id, or `ANY_PLATFORM` for a question about all platforms. `anchor` is
    the id of the question on the platform's page, or on the page of all questions. `file` is the
    FAQ file. `sources` are the sources of the page. `text` is the answer in Markdown, and `answer`
    is the answer in HTML.
    """

    group: str
    file: MarkdownFile
    anchor: str
    title: str
    answer: Markup
    text: str
    sources: SourceList
    messages: tuple[str, ...] = ()
    """The error messages that the question is about, as its FAQ file declares."""
    language: str = ENGLISH.code
    is_older: bool = False
    """Whether the question is a translation of an English text that has changed since."""


def platform_questions(
    catalog: Catalog, platform: Platform, sources: SourceList
) -> list[PageQuestion]:
    """Return the questions of a platform's FAQ, and those that the catalog answers.

    `sources` are the sources of the platform's page.
    """
    computed = computed_sections(catalog, platform)
    return _file_questions(platform.id, platform.faq, sources, computed)


def translated_questions(
    questions: Sequence[PageQuestion], platform: Platform, language: Language
) -> list[PageQuestion]:
    """Return the `questions` of a platform, translated into `language`.

    Questions without a translation stay in English.
    """
    translation = platform.answers.get(language.code)
    if translation is None:
        return [*questions]
    sections = {section.title: section.text for section in translation.text.sections}
    is_older = translation.head.translates != platform.faq.fingerprint_of(sections)

    def translated(question: PageQuestion) -> PageQuestion:
        heading, _, text = sections[question.title].partition("\n")
        prefix = _heading_prefix(question.anchor)
        answer = render_section(question.file, question.sources, text, prefix, language=language)
        return replace(
            question,
            title=heading.removeprefix("### "),
            answer=answer,
            text=text,
            language=language.code,
            is_older=is_older,
        )

    return [
        translated(original) if original.title in sections else original for original in questions
    ]


def shared_questions(catalog: Catalog) -> list[PageQuestion]:
    """Return the questions about all platforms, for the page of all questions."""
    if not catalog.faq:
        return []
    questions = _file_questions(
        ANY_PLATFORM,
        catalog.faq,
        SourceList([("faq.md", catalog.faq.sources)]),
        shared_computed_sections(catalog),
        "../",
    )
    devices = _plugin_devices(catalog.platforms)
    return [
        replace(question, messages=tuple(_with_devices(question.messages, devices)))
        for question in questions
    ]


def _plugin_devices(platforms: Sequence[Platform]) -> Sequence[str]:
    """Return the device types, such as `npu`, that only out-of-tree platforms use."""
    accelerators = [platform.accelerator for platform in platforms]
    in_tree_devices = {
        accelerator.device.value
        for accelerator in accelerators
        if accelerator.integration.value == "in-tree"
    }
    return [
        *dict.fromkeys(
            accelerator.device.value
            for accelerator in accelerators
            if accelerator.device.value not in in_tree_devices
        )
    ]


def _with_devices(messages: Sequence[str], devices: Sequence[str]) -> Iterator[str]:
    """Yield error messages. A message with `{device}` is yielded once for each of `devices`."""
    for text in messages:
        yield from (
            [text.replace(DEVICE_PLACEHOLDER, device) for device in devices]
            if DEVICE_PLACEHOLDER in text
            else [text]
        )


def _file_questions(
    group: str,
    file: MarkdownFile,
    sources: SourceList,
    computed: Sequence[Section],
    to_root: str = "../../",
) -> list[PageQuestion]:
    """Return the questions of an FAQ file, in order, then the computed ones.

    `group` is the `PageQuestion.group` of all questions. `sources` are the sources of the page that
    shows the questions. `to_root` is the relative address from that page to the site's root. The
    anchors of the questions are unique and start with `faq-`.
    """
    questions: list[PageQuestion] = []
    anchors = Anchors()
    for section in (*file.sections, *computed):
        anchor = anchors.take(f"faq-{slug(section.title)}")
        prefix = _heading_prefix(anchor)
        answer = render_section(file, sources, section.text, prefix, to_root=to_root)
        messages = tuple(message.text for message in section.messages)
        questions.append(
            PageQuestion(
                group, file, anchor, section.title, answer, section.text, sources, messages
            )
        )
    return questions


def question_on_other_page(
    question: PageQuestion, to_root: str, language: Language = ENGLISH
) -> PageQuestion:
    """Return a platform's question with its answer rendered for another page.

    In the answer, citations link to the sources on the platform's page. `to_root` is the relative
    address from the other page to the site's root.
    """
    page = f"{to_root}{PLATFORMS}/{question.group}/"
    prefix = f"{question.group}--{_heading_prefix(question.anchor)}"
    file, sources, text = question.file, question.sources, question.text
    answer = render_section(file, sources, text, prefix, page, language=language, to_root=to_root)
    return replace(question, answer=answer)


def _heading_prefix(anchor: str) -> str:
    """Return the prefix for the ids of the headings in an answer: `faq-install-`.

    `anchor` is the id of the question, such as `faq-install`. The id of a heading is the prefix, a
    hyphen and the heading as a slug: `faq-install--linux`. The two hyphens make the id different
    from the id of every question.
    """
    return f"{anchor}-"


class QuestionIndex(StrictModel):
    """The index of the question search.

    A search compares the words of an error message, and its pairs of adjacent words, with `terms`.
    The score of a question is the sum of its weights for the words and pairs that match.
    """

    questions: list[str]
    """Each question, as the id of its platform, a slash, and its anchor on the platform's page. The
    id is `any` for questions about all platforms; they are on the page of all questions."""
    titles: list[str]
    """The text of each question."""
    names: dict[str, list[str]]
    """Beginnings of words by which an error message names platforms, with the platforms' ids."""
    same_device: dict[str, list[str]]
    """The key is a platform whose id is also a device string, such as `cuda`. The value has the ids
    of the other platforms with this device string, such as `rocm`. A message that names one of the
    other platforms is not about the key: PyTorch on ROCm reports a "CUDA error", too."""
    terms: dict[str, list[tuple[int, float]]]
    """For each word, and each pair of words joined by a space, the indexes of matching questions in
    `questions`, with their weights."""
    messages: list[tuple[int, str]]
    """The error messages that answers declare: the index of the question and the message, in which
    `…`, `*` or `...` stands for a part that varies."""


# The weight of a word in the title, in code or quotes, and elsewhere.
TITLE, CODE, TEXT = 5.0, 3.0, 1.0

# Parameters of BM25: the saturation of repeated words, and the penalty for long answers.
SATURATION, LENGTH = 1.2, 0.3

# Words that say nothing about an error. The script has the same list.
STOP_WORDS = frozenset(
    """
    about above after all also an and any are as at be been before but by can could did do does
    for from had has have how if in into is it its last line may me mean most my no not of on
    once one only or other our out over recent run see should so some such than that the then
    there these they this to too traceback try under up use used using was we were what when
    where which while who why will with would you your
    """.split()  # noqa: SIM905 - as a list it would be a page long
)

# The most characters of a word; longer words are data.
MOST_WORD_CHARACTERS = 100

# Words with at most this number of letters keep their final s.
MOST_SHORT_WORD_CHARACTERS = 3

_WORD = re.compile(r"[a-z0-9_]+(?:::[a-z0-9_]+)*")
_NAME_SEPARATOR = re.compile(r"::|_")
_LINK_TARGET = re.compile(r"\]\([^)\s]{0,2000}\)")
_CODE = re.compile(r"``([^`](?:[^`]|`(?!`)){0,2000})``|`([^`]{1,2000})`|\"([^\"]{2,2000})\"")


def search_terms(text: str) -> Iterator[str]:
    """Yield the search terms of a text: its words, and pairs of adjacent words with a space.

    Words are lowercase and singular. The parts of a name such as torch_npu are also yielded. Common
    words, single characters, numbers of fewer than three digits, and words of more than
    `MOST_WORD_CHARACTERS` characters are omitted.
    """
    previous_word = ""
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).lower()):
        if len(word) > MOST_WORD_CHARACTERS:
            continue
        full_name = word.strip("_")
        parts = [part for part in _NAME_SEPARATOR.split(full_name) if part]
        names = [full_name, *parts] if len(parts) > 1 else parts
        terms = [_singular(name) for name in names if _is_search_term(name)]
        yield from terms
        if terms:
            if previous_word:
                yield f"{previous_word} {terms[0]}"
            previous_word = terms[0]


TRANSLATED = ("questions.md",)
SCHEMAS = {"question-index": QuestionIndex}


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of all questions in each language."""
    questions = _all_questions(site)
    for language in site.languages:
        root_address = to_root(language.path("questions.md"))
        context = {
            "shared": [question for question in questions if question.group == ANY_PLATFORM],
            "groups": [
                (
                    p,
                    [
                        question_on_other_page(q, root_address, language)
                        for q in translated_questions(own_questions, p, language)
                    ],
                )
                for p in site.catalog.platforms
                if (own_questions := [q for q in questions if q.group == p.id])
            ],
        }
        yield Page("questions.md", context, language=language)


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the index of the question search."""
    yield data_file("questions.json", question_index(_all_questions(site), site.catalog.platforms))


def _all_questions(site: Site) -> list[PageQuestion]:
    """Return the questions about all platforms, then those of each platform."""
    questions = shared_questions(site.catalog)
    for platform in site.catalog.platforms:
        questions += platform_questions(site.catalog, platform, page_sources(platform))
    return questions


def page_sources(platform: Platform) -> SourceList:
    """Return the sources of a platform's page."""
    return SourceList(platform.sourced_files(), vendor_sites(platform.accelerator))


def question_index(
    questions: Sequence[PageQuestion], platforms: Sequence[Platform]
) -> QuestionIndex:
    """Return the index of the question search.

    `questions` are the questions of all platforms and the shared questions. `platforms` provide the
    names by which an error message identifies a platform.
    """
    weights_by_question = [_term_weights(question) for question in questions]
    lengths = [sum(term_weights.values()) for term_weights in weights_by_question]
    average_length = (sum(lengths) or 1.0) / max(len(lengths), 1)
    question_counts = Counter(term for term_weights in weights_by_question for term in term_weights)
    rarities = {
        term: math.log(1 + (len(questions) - count + 0.5) / (count + 0.5))
        for term, count in question_counts.items()
    }
    weights_by_term: dict[str, list[tuple[int, float]]] = {}
    for index, (term_weights, length) in enumerate(zip(weights_by_question, lengths, strict=True)):
        saturation_term = SATURATION * (1 - LENGTH + LENGTH * length / average_length)
        for term, term_weight in term_weights.items():
            saturated = term_weight * (SATURATION + 1) / (term_weight + saturation_term)
            weight = rarities[term] * saturated
            weights_by_term.setdefault(term, []).append((index, round(weight, 2)))
    names = _platforms_by_error_name(platforms)
    return QuestionIndex(
        questions=[f"{question.group}/{question.anchor}" for question in questions],
        titles=[question.title for question in questions],
        names=names,
        same_device=_platforms_by_shared_device(platforms, names),
        terms=dict(sorted(weights_by_term.items())),
        messages=[
            (index, message)
            for index, question in enumerate(questions)
            for message in question.messages
        ],
    )


def _platforms_by_error_name(platforms: Sequence[Platform]) -> dict[str, list[str]]:
    """Return the names by which error messages identify platforms, each with the platforms' ids.

    A platform's names are its `error_names`, package, module and device. The name `torch` is
    omitted. A device that several platforms share is omitted, unless `error_names` has it.
    """
    devices = Counter(platform.accelerator.device.value for platform in platforms)
    ids_by_name: dict[str, list[str]] = {}
    for platform in platforms:
        accelerator = platform.accelerator
        platform_names = [
            *accelerator.error_names,
            accelerator.package.name,
            accelerator.package.module.split(".")[0],
        ]
        if devices[accelerator.device.value] == 1:
            platform_names.append(accelerator.device.value)
        for name in dict.fromkeys(platform_names):
            if name != "torch":
                ids_by_name.setdefault(name, []).append(platform.id)
    return dict(sorted(ids_by_name.items()))


def _platforms_by_shared_device(
    platforms: Sequence[Platform], names: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Map a platform's id to the ids of other platforms that use this id as their device.

    For example, `{"cuda": ["rocm"]}`, because the device of `rocm` is `cuda`. `names` is the result
    of `_platforms_by_error_name`. If `names` has a name that identifies both `cuda` and `rocm`,
    `rocm` is omitted, because an error message with that name can be about either of the two.
    """
    ids = {platform.id for platform in platforms}
    ids_by_device: dict[str, list[str]] = {}
    for platform in platforms:
        device = platform.accelerator.device.value
        shares_name = any(
            {device, platform.id} <= set(platform_ids) for platform_ids in names.values()
        )
        if device in ids - {platform.id} and not shares_name:
            ids_by_device.setdefault(device, []).append(platform.id)
    return ids_by_device


def _term_weights(question: PageQuestion) -> dict[str, float]:
    """Return the weight of each term of a question: the sum of the weights of its occurrences.

    The weight of an occurrence is `TITLE` in the title, `CODE` in code, quotes or declared
    messages, and `TEXT` elsewhere. Pairs of words have a weight only in the title.
    """
    text = CITATION.sub("", _LINK_TARGET.sub("]", question.text))
    weighted_texts = [(TITLE, question.title)]
    weighted_texts += [(CODE, "".join(code)) for code in _CODE.findall(text)]
    message_words = dict.fromkeys(word for message in question.messages for word in message.split())
    weighted_texts.append((CODE, " ".join(message_words)))
    weighted_texts += [(TEXT, part) for part in _CODE.sub("\n", text).split("\n")]
    weight_by_term: dict[str, float] = {}
    for weight, words in weighted_texts:
        for term in search_terms(words):
            if weight == TITLE or " " not in term:
                weight_by_term[term] = weight_by_term.get(term, 0.0) + weight
    return weight_by_term


def _is_search_term(name: str) -> bool:
    return name not in STOP_WORDS and len(name) >= (3 if name.isdigit() else 2)


def _singular(term: str) -> str:
    """Return a word without the s of its plural: `cores` → `core`."""
    plural = len(term) > MOST_SHORT_WORD_CHARACTERS and term.endswith("s") and term[-2] not in "sui"
    return term[:-1] if plural else term
