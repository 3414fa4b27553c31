"""From one release of a chart to another: what is known of the way, and what of a profile it touches.

`records.py` reads what each step does and who says so, `fields.py` the fields of custom resources that come and go, and
the keys of values are compared from what each release's templates honour (`components/chart_keys.py`).
"""
