"""Planning: makes a Plan from a Program and its buffers."""
