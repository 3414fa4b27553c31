"""The one reader of a model's `config.json`: sizes, layers and what a token keeps, for catalogue and profile alike."""
