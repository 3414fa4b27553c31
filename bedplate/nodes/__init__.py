"""`bedplate node`: one node's story, and its way out of the cluster and back in by a person's hand."""
