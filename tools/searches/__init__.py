"""Where evidence is searched for, one search in each file."""
