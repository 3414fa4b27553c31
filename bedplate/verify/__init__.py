"""Whether a running cluster is what its profile says: checks that run as jobs, and what they leave unproven.

`tournament.py` finds the bad node, `node_log.py` and `match_log.py` read what pods wrote, all of them pure; `jobs.py`
says what runs, `cluster.py` lets it run. Nothing here changes a node but `qualify.py`.
"""
