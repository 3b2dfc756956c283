"""Asking: a model writes the snippet, code runs it, and every number of the answer is traced to what a run gave.

Pure parts: `numbers` (numbers in a text), `quantities` (their units), `evidence` (what runs gave), `lineage` (which
columns it came from), `scales` (which units it may be read in), `literals` (what a snippet held already), `labels` and
`binding` (which name a figure belongs to), `vouching` (limits, ledger, question), `words` (claims of a run, declines),
`verify` and `figures` (the judgement), `arithmetic`, `prompt`, `tools`, `acts`, `ending`, `trace`. `loop` is the order
of the steps of one question; `scripted` and `providers` are models.
"""
