"""How many labels it takes: documents asked for by the model in the loop, and at random."""
