"""Models on this machine: which public ones are good, how they are fetched, and what is in their files."""
