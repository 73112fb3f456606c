"""builtins"""

TABLE = {}
