"""Small local networks: a ranker, and PURR's encoder-decoders (extras)."""
