"""Topic signatures: phrases and words, and what other words they bring with them."""
