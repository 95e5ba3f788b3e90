"""Finds the models that a platform supports according to documents, not according to tests."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import get_args

from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.files.hardware import Purpose
from accelerator_portal.catalog.files.shared_files import ModelFamily
from accelerator_portal.catalog.files.stated_models_file import ModelList, StatedModel
from accelerator_portal.catalog.message import message
from accelerator_reports.files.sources import Source

NO_PURPOSE = "not stated"

# The suite name of stated models: a family's pattern `*/…` matches them, too.
_SUITE = "stated"

# The owner of a Hugging Face repository: "mistralai/Pixtral-12B" is not a model named Mistral.
_OWNER = re.compile(r"(?<![\w./-])[A-Za-z-]+/(?=[\w.-])")
# A cell can name several models: "Llama 2/3", "Qwen1.5 / Qwen2", "BART (large)".
_NAME_SEPARATORS = re.compile(r"[,;:/·()]+")
_WORD_SEPARATORS = re.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """The models that a platform supports according to a document.

    `source` is the document, and `listed` is the list of models from it in the platform's folder.
    `models` are all models of this list. In the result of `statements_of_family`, `models` are only
    the models that belong to the family.
    """

    accelerator: str
    listed: ModelList
    source: Source
    models: tuple[StatedModel, ...]

    @property
    def day(self) -> dt.date:
        """The date of the document, or else the day on which it was read."""
        return self.source.as_of or self.source.read

    @property
    def date_text(self) -> str:
        """The date of the document, or the words `read on 2026-01-31` if it has no date."""
        read = message("read on {day}", day=self.source.read)
        return str(self.source.as_of) if self.source.as_of else read

    @property
    def by_purpose(self) -> Mapping[str, tuple[StatedModel, ...]]:
        """The models by their stated purpose in words, for example `training and inference`.

        The key is `NO_PURPOSE` for models without a purpose.
        """
        models_by_purpose: dict[str, tuple[StatedModel, ...]] = {}
        for model in self.models:
            stated_purposes = model.purpose or self.listed.purpose
            purpose = (
                " and ".join(word for word in get_args(Purpose) if word in stated_purposes)
                or NO_PURPOSE
            )
            models_by_purpose[purpose] = (*models_by_purpose.get(purpose, ()), model)
        return models_by_purpose

    @property
    def words(self) -> str:
        """A text with the publisher and date of the document: `stated by Acme, 2026-01-31`."""
        return message("stated by {by}, {day}", by=self.listed.by, day=self.date_text)


def model_statements(platform: Platform) -> Iterator[Statement]:
    """Yield a statement for each list of models in a platform's folder."""
    if file := platform.stated_models:
        for listed in file.lists:
            source = file.sources[listed.source[0]]
            yield Statement(platform.id, listed, source, listed.models)


def statements_of_family(
    statements: Iterable[Statement], family: ModelFamily
) -> Iterator[Statement]:
    """Yield the statements that name models of a family, each with only these models."""
    for statement in statements:
        models = tuple(
            model
            for model in statement.models
            if any(family.has(_SUITE, name) for name in _model_names(model))
        )
        if models:
            yield Statement(statement.accelerator, statement.listed, statement.source, models)


def _model_names(model: StatedModel) -> Iterator[str]:
    """Yield the names of the models in `model.name`, in the spellings that suites use.

    `Qwen1.5 / Qwen2` contains two names. `Llama 2` has the spellings `Llama 2`, `Llama_2` and
    `Llama2`. Names in `model.examples` are ignored: "LLaVA-NeXT" with the example
    "llava-v1.6-mistral" is not a Mistral model.
    """
    for part in _NAME_SEPARATORS.split(_OWNER.sub("", model.name)):
        if name := part.strip():
            yield from dict.fromkeys(
                (name, _WORD_SEPARATORS.sub("_", name), _WORD_SEPARATORS.sub("", name))
            )
