"""Builds the index of the question search, which finds the answer to a pasted error message.

The index has the error messages that answers declare, and the weights of words. If no answer
declares a message, words rank the answers: rare words count more than common words (BM25), and
words of titles and code more than others. The script `site_src/scripts/question-search.js` reads
words in the same way and adds up the weights; a test compares the two.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.markdown_file import CITATION
from accelerator_portal.site.api_shapes import QuestionIndex
from accelerator_portal.site.platforms.questions import PageQuestion

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
