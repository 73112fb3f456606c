"""atomics"""

TABLE = {}
