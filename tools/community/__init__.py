"""Searches of langchain-community, imported only where they are asked for."""
