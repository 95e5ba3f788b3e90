"""Docstrings below the fields of a model, as the descriptions in its JSON Schema.

pydantic reads them itself with `use_attribute_docstrings`, but at every import, which takes a third
of the time of importing all models; only the schemas need them.
"""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from itertools import pairwise

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import ModelSchema


class DescribedSchema(GenerateJsonSchema):
    """Generates JSON Schemas in which a field's docstring is its description."""

    def model_schema(self, schema: ModelSchema) -> JsonSchemaValue:
        """Return the JSON Schema of one model."""
        found = super().model_schema(schema)
        model: type[BaseModel] = schema["cls"]
        for name, text in field_docstrings(model).items():
            field = model.model_fields[name]
            shown = found.get("properties", {}).get(field.alias or name)
            if shown is not None and field.description is None:
                shown["description"] = text
        return found


def field_docstrings(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstring of each field that has one, inherited ones too."""
    found: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        if issubclass(owner, BaseModel) and owner is not BaseModel:
            found |= _of_module(owner.__module__).get(owner.__qualname__, {})
    return {name: text for name, text in found.items() if name in model.model_fields}


@cache
def _of_module(name: str) -> dict[str, dict[str, str]]:
    """Return the docstrings of the fields of each class of a module."""
    module = sys.modules[name]
    tree = ast.parse(inspect.getsource(module))
    return {node.name: _of_class(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _of_class(node: ast.ClassDef) -> dict[str, str]:
    found = {}
    for field, following in pairwise(node.body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            match following:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    found[field.target.id] = inspect.cleandoc(text)
    return found
