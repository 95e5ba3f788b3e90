"""Names the folders and files that the harness reads, too, and checks the names of folders."""

from __future__ import annotations

import re

ACCELERATORS = "accelerators"
SUITES = "data/suites"
RESULTS = "results"
KNOWN_ISSUES = "known-issues.yaml"
VALIDATION = "validation.yaml"


# Checks the names of platform folders and of report files.

MAX_ID_LENGTH = 40
MAX_REPORT_NAME_LENGTH = 100  # pages and files of the site are named after the report

# On Windows these are names of devices, with any text after the first dot. Git could not create
# such a file.
_WINDOWS_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.DOTALL)

# The page of all platforms is in the same folder as the platforms' pages.
_RESERVED_IDS = frozenset({"index"})

_REPORT = re.compile(r"[a-z0-9]+([-.][a-z0-9]+)*\.json")
_FOLDER = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def folder_fault(name: str) -> tuple[str, str] | None:
    """Return what is wrong with a platform folder's name, and the fix; None if it is valid."""
    if not _FOLDER.fullmatch(name):
        remedy = "use lowercase letters and digits, separated by single hyphens"
        return f'"{name}" cannot be an id', remedy
    if name in _RESERVED_IDS or _WINDOWS_DEVICE.fullmatch(name):
        return f'"{name}" is a reserved name', "choose another name"
    if len(name) > MAX_ID_LENGTH:
        return f"the ID has more than {MAX_ID_LENGTH} characters", "shorten it"
    return None


def report_fault(name: str) -> tuple[str, str] | None:
    """Return what is wrong with a report's file name, and the fix; None if it is valid."""
    if not _REPORT.fullmatch(name):
        remedy = "name it <name>.json, with lowercase letters, digits and hyphens"
        return "not a valid file name for a report", remedy
    if len(name) > MAX_REPORT_NAME_LENGTH:
        return f"the file name has more than {MAX_REPORT_NAME_LENGTH} characters", "shorten it"
    if _WINDOWS_DEVICE.fullmatch(name):
        return "this name is reserved on Windows", "choose another name"
    return None
