"""How large it must be: memory, time, network, checkpoints and servers, each figure with its formula and source.

Pure arithmetic over a model, a place to run it and a way to spread it; nothing here asks a cluster. Sizes are in GB
(10⁹ bytes), rates in GB/s, times in seconds, unless a name says otherwise.
"""
