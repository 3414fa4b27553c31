"""Storage: the Lustre driver of the platform, shared volumes, and the nodes' own disks."""
