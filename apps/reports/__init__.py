"""A result as HTML, in one file that loads nothing."""
