"""Asking: a model writes the snippet, code runs it, and every number of the answer is traced to what a run gave.

Pure parts: `numbers` (numbers in a text), `quantities` (their units), `evidence` (what runs gave), `literals` (what a
snippet held already), `words` (claims of a run, declines), `binding` (which name a figure belongs to), `verify` and
`figures` (the judgement), `arithmetic`, `prompt`. `loop` is the order of the steps of one question; `scripted` and
`providers` are models.
"""
