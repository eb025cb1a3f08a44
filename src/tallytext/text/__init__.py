"""How text becomes terms."""
