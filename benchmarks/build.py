"""Build a site and print the resources that this process used: `python -m benchmarks.build FOLDER`.

It is a separate program, so that each build has its own process.
"""

from __future__ import annotations

import json
import logging
import resource
import sys
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config

from benchmarks.measure import peak_memory


def main() -> None:
    """Build the site of FOLDER; print JSON with the processor time and the peak memory.

    `cpu` is in seconds and `peak` in bytes. Both include the start of the process.
    """
    logging.basicConfig(level=logging.WARNING)
    config = load_config(str(Path(sys.argv[1]) / "mkdocs.yml"))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"cpu": used.ru_utime + used.ru_stime, "peak": peak_memory(used)}))


if __name__ == "__main__":
    main()
