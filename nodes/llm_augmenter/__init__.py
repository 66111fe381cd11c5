"""LLM-Augmenter's steps."""
