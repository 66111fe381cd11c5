"""The searches of langchain-community, imported only when they are used."""
