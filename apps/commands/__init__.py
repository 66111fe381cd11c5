"""The commands of the command line.

correcting  a method on one input: correct, ask, solve, detoxify, and resume
checking    check, claim by claim
serving     what stays open: chat, serve, mcp
telling     what there is: methods, graph, settings, prompts, doctor
running     how one run begins and ends

What is heavy is imported by the command that needs it: `errata --help` should not wait for LangGraph.
"""
