"""approximate"""

TABLE = {}
