from __future__ import annotations

from typing import Annotated

from pydantic import Field

from accelerator_portal.catalog.fields import StrictModel
from accelerator_portal.catalog.schema import DescribedSchema, field_docstrings


class Card(StrictModel):
    """A card that is made up."""

    name: str
    """Its name
    in full."""
    memory: Annotated[int, Field(alias="memory-gb")]
    """Its memory."""
    price: Annotated[int, Field(description="As a shop says.")]
    """As nobody says."""
    colour: str


class RentedCard(Card):
    """A card by the hour."""

    memory: int
    hours: int
    """So many hours."""


def test_docstrings_are_inherited_as_fields_are() -> None:
    assert field_docstrings(RentedCard) == {
        "name": "Its name\nin full.",
        "memory": "Its memory.",
        "price": "As nobody says.",
        "hours": "So many hours.",
    }


def test_they_describe_the_keys_of_the_schema_where_nothing_else_does() -> None:
    schema = Card.model_json_schema(by_alias=True, schema_generator=DescribedSchema)
    described = {name: one.get("description") for name, one in schema["properties"].items()}
    assert described == {
        "name": "Its name\nin full.",
        "memory-gb": "Its memory.",
        "price": "As a shop says.",
        "colour": None,
    }
