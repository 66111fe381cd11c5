"""How an answer is drafted: the baselines, and the first step of other methods."""
