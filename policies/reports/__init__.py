"""Verdicts in the forms that people and tools read."""
