"""The rows of `bedplate/catalog/data/models.csv`, read from clones and from the engine's own wheel."""
