"""The commands of the command line.

correcting  a method on one input: correct, ask, solve, detoxify, and resume
checking    check, claim by claim
serving     commands that stay open: chat, serve, mcp
telling     information: methods, graph, settings, prompts, doctor
running     how one run begins and ends

Slow modules are imported by the commands that need them: `errata --help` should not wait for LangGraph.
"""
