"""Imports other projects' packages once for all trials. Must not import any of the portal's."""

from __future__ import annotations

import github
import httpx
import hypothesis
import jinja2
import markdown_it
import mkdocs.commands.build
import nh3
import pandas as pd
import pydantic
import pypi_simple
import pytest
import rich.console
import selectolax.lexbor
import yaml

__all__ = [
    "github",
    "httpx",
    "hypothesis",
    "jinja2",
    "markdown_it",
    "mkdocs",
    "nh3",
    "pd",
    "pydantic",
    "pypi_simple",
    "pytest",
    "rich",
    "selectolax",
    "yaml",
]
