"""`errata distill`: a small judge, taught by what a strong model decided."""
