"""Asking other machines over HTTP: politely, within limits, and with errors in words for people."""
