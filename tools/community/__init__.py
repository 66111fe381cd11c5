"""The searches by libraries that block, imported only when they are used."""
