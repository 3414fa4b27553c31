"""What is refused: rules that span sections of the profile."""
