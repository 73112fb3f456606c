"""Model time: how long a kernel would take on a named GPU, computed from what the emulator counts.

Data flow, each step a module or two; all of it is plain data:

    child, device   run some blocks of each launch (blocks), with counters and traces
                    a warp's way through basic blocks -> paths: loops cut to three rounds with weights
                    sectors touched -> reuse: distances between touches; footprint: which blocks touch what
    sampling        LaunchSample: rows (PTX instructions, with what one execution costs), ways, footprints
    gpus, calibration, limits   what a GPU has: data sheets, latencies, rates, occupancy
    memory          Traffic: which share of each row's sectors L1, L2 and DRAM serve, for the blocks that run at once
    pipes, ops      a row -> Op: issue slots, a pipe's cycles, latency; schedule: the order within a basic block
    anchors, solving, natural, rounds, executions   how often the blocks of the machine code run
    machine, instructions, loops   machine code -> Load: ops with stalls and scoreboards, ways
    sm              a cycle model of a quarter of an SM: the ways of its warps, block after block
    kernel          KernelTime: rounds of blocks, tail, launch, floors of bandwidth; the interval
    model           ModelTime: all launches of a case
    change, blocking   a launch as it would be after a change of its source, between sampling and time

No step reads a clock or draws a number, and floating point is sums, products and square roots in one order: the same
bits on every machine.
"""
