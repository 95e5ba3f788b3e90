"""The least that a guide and an FAQ can honestly say, made from the answers.

Nothing that a vendor writes freely stands in these texts: names and titles could be Markdown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from accelerator_portal.vendors.answers import DOCUMENTATION
from accelerator_portal.vendors.case import PlatformCase


def guide_sections(case: PlatformCase) -> Mapping[str, str]:
    """Return Markdown by heading: an entry's own where it has some, else what answers say."""
    page = f"<{_address(case.value('url'))}> [@{DOCUMENTATION}]"
    package = f"the package `{case.value('package')}`, imported as `{case.value('import')}`"
    install = f"The commands above are for {package}."
    if not case.steps:
        install = f"The portal does not have an install command yet for {package}."
    sections = {
        "Prepare": f"Set up the machine as described in the vendor's documentation:\n{page}.",
        "Install": f"{install}\nThe vendor's page: {page}.",
        "Start": f"{_start(case)}\n\nThe vendor's page: {page}.",
        "Deploy": f"This section is not written yet. The vendor's documentation:\n{page}.",
        "Help": f"Questions go to <{_address(case.value('support'))}> [@{case.source('support')}].",
    }
    return {**sections, **(case.entry.guide if case.entry else {})}


def only_question(case: PlatformCase) -> Mapping[str, str]:
    """Return the one question that has an answer already, and the answer."""
    address, source = case.value("support"), case.source("support")
    return {"Where to ask?": f"<{_address(address)}> [@{source}]"}


def _start(case: PlatformCase) -> str:
    """The device, with the imports that bring it."""
    device, module = _literal(case.value("device")), case.value("import")
    own = module != "torch" and case.value("autoload") != "yes"
    imports = "import torch\n" + (f"import {module}\n" if own else "")
    return f"```python\n{imports}\ndevice = torch.device({device})\n```"


def _literal(text: str) -> str:
    """A Python string; what would be read as a citation is written by its number."""
    return json.dumps(text, ensure_ascii=False).replace("[", "\\x5b")


def _address(url: str) -> str:
    """An address within < and >; brackets could be a citation."""
    return url.replace("[", "%5B").replace("]", "%5D")
