"""Many clusters as one: which they are, in which waves a change reaches them, and what stops it."""
