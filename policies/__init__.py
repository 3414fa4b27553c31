"""The rules, as pure functions over plain mappings, and their adaptors."""
