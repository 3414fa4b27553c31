"""What is declared: the models of a stack file, and how a fault in one is said."""
