"""Slow, obvious versions of what the package does fast. Never shipped."""
