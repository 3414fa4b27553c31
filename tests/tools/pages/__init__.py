"""The pages of docs/ that are made from the code: `python -m tests.tools.pages` writes each."""
