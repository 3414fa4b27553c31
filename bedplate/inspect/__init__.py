"""What one machine is, before a pod runs on it: a shell script records it, pure functions read it and compare."""
