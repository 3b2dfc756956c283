"""The MCP server: other people's assistants read units and verdicts, and run snippets in the sandbox, over stdio.

What it gives out is schema, units, counts, verdicts, limits, the user's own profile, and the results of runs. No cell
goes out by itself: the guard's sentences and its witnesses' details may quote values and names of rows, so verdicts are
told by their fields, segments by their columns, and measurements only where a board profile names them.

An assistant decides nothing: a unit that it proposes stays pending until a person runs `bench-analyze approve`.
"""
