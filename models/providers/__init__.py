"""Reaching a chat model: its client, what its endpoint supports, and the limits on requests."""
