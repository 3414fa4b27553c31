"""Which clusters exist: the profile they are declared in, what follows from it, and the order they are built in."""
