"""What machines and GPUs exist, as data: one line a row in `data/`, read by every room and importing none of ours.

A machine is a row of its seller's file, a GPU model a row of `data/gpus.csv`; what a column means, its unit and where
its figures come from stands in `data/columns.csv`, what a row's sources are in `data/sources.csv`. Nothing is imported
here: a room takes `gpus`, `machines` or `quotas`, and pays for that file alone.
"""
