"""OBJ-9xx: what an API server refuses of any object."""
