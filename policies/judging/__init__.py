"""What the rules say about resources, what is allowed in spite of them, and what is known from before."""
