"""RefChecker's steps."""
