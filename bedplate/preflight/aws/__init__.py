"""What AWS has for the pools of an EKS profile."""
