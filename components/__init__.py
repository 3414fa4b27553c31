"""Everything a cluster can have installed: one module per component, in folders by layer."""
