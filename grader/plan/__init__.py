"""Planning: from a Program and buffers to a Plan."""
