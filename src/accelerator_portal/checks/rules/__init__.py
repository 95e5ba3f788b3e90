"""The rules, one module each: a docstring for people, and `check`, a generator of problems."""
