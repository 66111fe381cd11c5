"""Verify-and-Edit's steps."""
