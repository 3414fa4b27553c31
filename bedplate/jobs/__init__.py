"""A team's jobs on a running cluster: submit them, see them, and say why one waits.

Needs `kubectl`, and nobody's repository: what a job must carry stands in the team's namespace.
"""
