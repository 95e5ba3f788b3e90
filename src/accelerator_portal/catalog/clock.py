"""Returns the current day, or the day that the variable `SOURCE_DATE_EPOCH` sets.

Only the command line and the hooks call it. Other modules take dates as arguments.
"""

from __future__ import annotations

import datetime as dt
import os

DATE_VARIABLE = "SOURCE_DATE_EPOCH"


def today() -> dt.date:
    """Return the current day in UTC, or the day that `SOURCE_DATE_EPOCH` sets.

    Source: reproducible-builds.org/specs/source-date-epoch (seconds since 1970, in UTC); MkDocs
    reads the same variable. An invalid value is ignored.
    """
    try:
        return dt.datetime.fromtimestamp(int(os.environ[DATE_VARIABLE]), dt.timezone.utc).date()
    except (KeyError, ValueError, OverflowError, OSError):
        return dt.datetime.now(dt.timezone.utc).date()
