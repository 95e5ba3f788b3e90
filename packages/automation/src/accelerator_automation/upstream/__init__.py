"""Sends changes of PyTorch to vendors' CI, and posts their test results on pull requests.

A change is a commit of PyTorch, with the event for which it is tested. A plan is an artifact of a
workflow run that lists the platforms that test one change. A round is one run of the job that sends
changes, or of the job that answers them. In all modules, `home` is this repository (OWNER/NAME).
"""
