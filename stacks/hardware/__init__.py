"""What the machines are: shapes, GPU models and platforms, as data with their sources."""
