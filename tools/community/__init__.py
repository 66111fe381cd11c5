"""Searches and document loaders of langchain-community, imported only where they are asked for."""
