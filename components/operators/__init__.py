"""Operators: the controllers that turn a node into a GPU node."""
