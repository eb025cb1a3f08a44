"""Kim, Seo and Rim (2003): Poisson naive Bayes with weighted words."""
