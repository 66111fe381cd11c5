"""Reaching a chat model: its client, what its endpoint takes, and the bounds on asking it."""
