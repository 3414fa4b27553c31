"""Names that the wheel of 0.1 had, for the state of clusters that it or its checkout deployed: UPGRADING.md.

Where Bedplate is installed this folder comes last on the path of `bedplate up` and `bedplate down`, so that
`components.…`, as a checkout of 0.1 called it, is there, too. To be removed after 0.2.
"""
