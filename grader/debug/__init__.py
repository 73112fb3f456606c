"""The debugger: a position in a replay's Trace, moved forward and back; its protocol for editors, and its terminal."""
