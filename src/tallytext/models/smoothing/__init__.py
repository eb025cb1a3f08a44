"""Smoothing of word probabilities.

``base`` has Laplace, background (Jelinek-Mercer), Dirichlet and unsmoothed estimates,
``discounting`` absolute discounting, ``semantic`` topic signatures and translations.
"""
