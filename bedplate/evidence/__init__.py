"""What a cluster is made of and what is known of it, for those who were not there: images, and signed statements."""
