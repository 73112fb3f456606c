"""When warps and blocks take turns: how long each runs, what waiting costs, and which orders of blocks are tried."""

# Instructions that a warp runs before the other warps of its block get their turn.
WARP_SLICE = 1 << 12

STIRRED_BLOCKS, MOST_STIRS = 32, 8
"""The most blocks of a launch that is stirred, and how often in each a coin decides before a look, and before a store.
While a block that holds a lock is suspended, all others wait in vain."""
HELD_SHARE, FREED_SHARE = 0.25, 1 / 64
"""How many of the blocks that lost a coin stay behind, one at a time, until all others are at their end, or wait; and
at how many of the turns of others it comes on nevertheless."""
FEW_BLOCKS = 4
"""Of more blocks the first and the last are not stirred: one that adds up what the others have not written yet would
find it there when it is resumed."""

TURNED_BLOCKS = 64
"""The most blocks of a launch whose blocks may meet and begin with the middle one: then neither the first nor the last
finds what it has not waited for. Blocks that wait for those with smaller numbers are all in flight meanwhile."""

# A block is suspended after BLOCK_SLICE instructions, or sooner after BLOCK_WAITS of the kind that threads wait with:
# it may be waiting for a block that has not begun.
BLOCK_SLICE = 1 << 22
BLOCK_WAITS = 1 << 11
RESUMED_WAITS = 1 << 6
WARP_WAITS = 1 << 3
"""After so many of them in vain, a warp of which all lanes wait looks once and gives way to the next, and in one that
has diverged every other turn is that of lanes behind: whoever holds the lock should come to its end first."""

# Blocks that may meet get slices of SHORT_SLICE << n instructions, n at most LONGER_SLICES, while few of them wait.
SHORT_SLICE, LONGER_SLICES = 1 << 7, 8
FEW_WAITING = 8

# After its lanes have found so many phases of barrier objects not over in a row, a block is checked: perhaps no thread
# is left that could end one.
MOST_POLLS = 1 << 14
