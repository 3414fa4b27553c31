"""From one version set to another: the road, the gates on it, and what is published about what a set installs."""
