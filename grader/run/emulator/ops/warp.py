"""warp"""

TABLE = {}
