"""What planning costs: `make bench`."""
