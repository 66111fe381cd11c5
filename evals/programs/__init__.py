"""Commands that each measure one thing."""
