"""Files, folders and standard input as resources."""
