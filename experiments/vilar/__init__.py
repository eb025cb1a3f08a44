"""Vilar, Ney, Juan and Vidal (2004): effect of feature smoothing in text classification."""
