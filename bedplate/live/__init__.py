"""What a running cluster is: held against its profile (`bedplate doctor`), or written down as one (`bedplate init`).

Everything here only lists and reads, through kubectl, and never a Secret.
"""
