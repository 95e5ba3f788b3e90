"""A plugin that ends every process which imports it."""

from __future__ import annotations

import sys

sys.stderr.write("the driver is gone\n")
raise SystemExit(7)
