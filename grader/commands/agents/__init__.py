"""What `kgrade mcp` serves: the tools, the turns in which they grade, and the protocol's server."""
