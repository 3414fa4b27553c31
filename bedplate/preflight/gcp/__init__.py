"""What Google Cloud has for the pools of a GKE profile."""
