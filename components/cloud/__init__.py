"""Cloud nodes: machines with their fabric interfaces, where they stand, and what holds them."""
