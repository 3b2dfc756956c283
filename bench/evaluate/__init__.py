"""Evaluation of models: questions with answers worked out by hand, asked on the fixtures, scored by code.

`questions` reads the questions, `calls` is the other way to ask (structured calls instead of code), `shipped` are
models that need no provider (one answers well, the others lie, loop, inject, claim), `canary` finds out what a hostile
snippet reached, `scoring` judges one answer and sums up, `harness` asks them all, `results` keeps what came out,
`comparing` shows two of them.
"""
