"""Smoothing of word probabilities: Laplace, background, Dirichlet, discounting, semantic."""
