"""The rules, by subject: each is a function that yields problems; its docstring is on the site."""
