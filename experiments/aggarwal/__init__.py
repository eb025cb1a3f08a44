"""Aggarwal, Machine Learning for Text, 5.2.6 to 5.3.4: what it says, measured."""
