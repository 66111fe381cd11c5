"""The states of the methods, one module for each family."""
