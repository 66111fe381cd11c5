"""What holds during a run: its caches, deadline, accounts, secrets, traces and kept settings."""
