"""The rows of `bedplate/catalog/data` that public repositories know: read from clones, never typed."""
