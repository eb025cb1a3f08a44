"""Zhou, Zhang and Hu: semantic smoothing for text classification, reproduced."""
