"""half"""

TABLE = {}
