"""errata inside an agent: as middleware, as a tool, and as an agent of its own."""
