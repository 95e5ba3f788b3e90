"""Turns vendors' install options into commands, and into rows of the install selector."""

from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import Choice, InstallRow
from accelerator_portal.install.selector import Selector, make_selector

__all__ = ["Choice", "InstallRow", "Selector", "expand", "make_selector"]
