"""What GitHub reads of the vendors' folders: who owns which, and forms that list the platforms."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import ACCELERATORS

CODEOWNERS = ".github/CODEOWNERS"
WRONG_FACT = "wrong-fact.yml"
COMMAND_FAILS = "command-fails.yml"

_FORMS = ".github/ISSUE_TEMPLATE"

_OWNERS_HEAD = """\
# Who is asked to review a change of a platform's folder: the maintainers in its accelerator.yaml.
# Written by `accelerator-portal owners`. GitHub asks those who may write to this repository.
"""

_FORM_HEAD = "# Written by `accelerator-portal owners`, which fills in the platforms.\n"

_PLATFORM = """\
  - type: dropdown
    id: platform
    attributes:
      label: Platform
      options:
{options}\
    validations:
      required: true
"""

_WRONG_FACT = f"""\
{_FORM_HEAD}\
name: A wrong or missing fact
description: Something that the portal states is wrong, out of date or left out.
title: "Fact: "
labels: [fact]
body:
  - type: markdown
    attributes:
      value: >
        A pull request that changes the platform's folder is just as good. Each fact needs a source
        that others can read.
{_PLATFORM}\
  - type: input
    id: place
    attributes:
      label: Where it stands
      description: The address of the page, or the file and its line.
      placeholder: https://
    validations:
      required: true
  - type: textarea
    id: says
    attributes:
      label: What stands there
      description: If something is missing, say what.
    validations:
      required: true
  - type: textarea
    id: right
    attributes:
      label: What would be right
    validations:
      required: true
  - type: textarea
    id: source
    attributes:
      label: Who says so
      description: >
        The address of a document and the day on which you read it. If there is none, say how you
        know.
      placeholder: https://
    validations:
      required: true
"""

_COMMAND_FAILS = f"""\
{_FORM_HEAD}\
name: A command does not work
description: An install command or a check that the portal shows fails, or does something else.
title: "Command: "
labels: [command]
body:
{_PLATFORM}\
  - type: input
    id: choice
    attributes:
      label: Address of the choice
      description: >
        Choose on the page until the command stands there, then copy the page's address. It holds
        the whole choice.
      placeholder: https://
    validations:
      required: true
  - type: textarea
    id: command
    attributes:
      label: The command
      description: As you typed it.
      render: shell
    validations:
      required: true
  - type: textarea
    id: output
    attributes:
      label: What it printed
      description: All of it, without passwords and tokens.
      render: text
    validations:
      required: true
  - type: textarea
    id: machine
    attributes:
      label: The machine
      description: System, Python and pip or uv with their versions, the card, its driver.
    validations:
      required: true
"""


def github_files(catalog: Catalog) -> dict[str, str]:
    """Return the text of CODEOWNERS and of the issue forms that list platforms, by path."""
    options = "".join(f"        - {_option(platform)}\n" for platform in catalog.platforms)
    fact = options + '        - "None of them: another page"\n'
    return {
        CODEOWNERS: _OWNERS_HEAD + "".join(_owned(catalog)),
        f"{_FORMS}/{WRONG_FACT}": _WRONG_FACT.replace("{options}", fact),
        f"{_FORMS}/{COMMAND_FAILS}": _COMMAND_FAILS.replace("{options}", options),
    }


def _owned(catalog: Catalog) -> Iterator[str]:
    for platform in sorted(catalog.platforms, key=lambda platform: platform.id):
        logins = [f"@{person.github}" for person in platform.accelerator.maintainers]
        if logins:
            yield f"/{ACCELERATORS}/{platform.id}/ {' '.join(dict.fromkeys(logins))}\n"


def _option(platform: Platform) -> str:
    """With the id, so that no two are alike, as GitHub requires."""
    text = f"{platform.accelerator.name} ({platform.id})"
    return str(yaml.dump(text, default_style='"', allow_unicode=True, width=1000)).strip()
