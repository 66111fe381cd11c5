"""errata as an MCP server: tools for editors, chat apps and agents that speak the Model Context Protocol.

tools       what each tool takes, does and returns
server      the tools in the protocol, on standard input and output or over HTTP
"""
