"""The order that a cluster is built in: a file a layer, from the nodes upwards; `deploy.py` builds it.

A step names only steps above it, of its own layer or of one below, so the order cannot hold a cycle.
"""
