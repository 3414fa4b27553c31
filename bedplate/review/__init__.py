"""What a change does to the running cluster: every difference of two plans, the dangerous first, each with its reason.

`danger.py` has the labels, `changes.py` the differences, `rules/` what each of them does and who says so.
"""
