"""Returns the current day or time. `SOURCE_DATE_EPOCH` sets the day.

Only the outermost functions call this module. Other functions take dates and times as arguments.
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
        return utc_now().date()


def utc_now() -> dt.datetime:
    """Return the current time in UTC."""
    return dt.datetime.now(dt.timezone.utc)
