"""The client of a running cluster: kubectl with a time limit, lists in pages, watches that survive their connection.

Gates, `doctor`, jobs, `verify` and the lab share it. It imports nothing else of ours, and nothing is imported here.
"""
