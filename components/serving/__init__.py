"""Model servers: what they load, where they run, how they are reached and how they scale."""
