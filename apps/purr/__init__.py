"""`errata purr`: training an editor for PURR, and measuring it."""
