"""What people touch: the command line, the server, reports, agents and the Python functions."""
