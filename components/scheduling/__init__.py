"""Who decides when and where jobs run: one scheduler, its queues, and what it knows of the network's topology."""
