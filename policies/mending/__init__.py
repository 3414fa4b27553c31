"""`bedplate check --fix`: the changes that rules know, made in the files as they are written."""
