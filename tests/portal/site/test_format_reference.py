from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, Field

from accelerator_portal.catalog.schema import FILE_FORMATS, SCHEMA_MODELS
from accelerator_portal.site.commands_table import record_schemas, type_words
from tests.built_site import Site

PAGE = "contribute/format/"


def models(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - a type's parts
    """Every model that an annotation reaches."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from models(field.annotation)
    for part in typing.get_args(annotation):
        yield from models(part)


def test_every_key_of_every_record_is_described() -> None:
    for name, root in SCHEMA_MODELS.items():
        records = record_schemas(root)
        for model in set(models(root)):
            record = records["the file" if model is root else model.__name__]
            keys = {field.alias or key: field for key, field in model.model_fields.items()}
            described = record.get("properties", {})
            assert described.keys() == keys.keys(), f"{name}: {model.__name__}"
            for key, field in keys.items():
                assert (key in record.get("required", [])) == field.is_required(), f"{name}: {key}"
                place = f"{name}: {model.__name__}.{key}"
                assert described[key].get("description"), f"{place} says nothing"
                assert type_words(described[key]), place


class Limited(BaseModel):
    """Numbers with limits."""

    between: int = Field(ge=1, le=5000)
    above: float = Field(gt=0, le=1)
    up_to: int = Field(le=5000)
    from_one: int = Field(ge=1)
    short: str = Field(max_length=2000)


def test_limits_are_written_in_words() -> None:
    (record,) = record_schemas(Limited).values()
    assert {name: type_words(field) for name, field in record["properties"].items()} == {
        "between": "whole number, 1 to 5,000",
        "above": "number, above 0, up to 1",
        "up_to": "whole number, up to 5,000",
        "from_one": "whole number",
        "short": "text, up to 2,000 characters",
    }


def as_shown(text: str) -> str:
    """One line; code stands between backticks in the models, in its own element on the page."""
    return " ".join(text.replace("`", "").split())


def test_the_page_shows_all_of_it(site: Site) -> None:
    page = site.pages[PAGE]
    rows = [
        tuple(cell.text() for cell in row.css("td")) for row in page.tree.css(".record tbody tr")
    ]
    expected = [
        (
            name,
            type_words(field),
            "yes" if name in record.get("required", []) else "no",
            as_shown(field["description"]),
        )
        for _, model in FILE_FORMATS.values()
        for record in record_schemas(model).values()
        for name, field in record.get("properties", {}).items()
    ]
    assert rows == expected


def test_no_record_is_described_without_saying_what_it_is(site: Site) -> None:
    for record in site.pages[PAGE].tree.css(".record"):
        (meaning,) = record.css("h3 + p")
        assert meaning.text().strip(), record.css_first("h3").text()  # type: ignore[union-attr]
