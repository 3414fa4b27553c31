"""A profile of a cluster that is there already: pure functions from what was listed to keys and what is left open."""
