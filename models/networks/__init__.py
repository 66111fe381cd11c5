"""Small networks on this machine: a ranker, and PURR's encoder-decoders (extras)."""
