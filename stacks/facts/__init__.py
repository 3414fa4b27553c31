"""What follows from a profile, each fact in one place."""
