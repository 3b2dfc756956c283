"""Stores, which `ingest` fills from an inbox, export after export, for years: DuckDB files, or Delta tables (`delta`).

How a DuckDB file keeps the promises (`stores` says what both kinds share):

1. *Once each.* An export is what its bytes are: SHA-256, with the profile, the rules' version and the approvals that it
   was judged by. `guard.exports` holds that; a name, a place or a time stamp never decides what is held, it only spares
   reading a file again that the store knows unchanged (`guard.seen`: size, times, inode).
2. *All or nothing.* Exports are judged first, exactly as a single analysis judges them, without the store. What is
   ready is then committed together: under the lock the bytes and raw texts go into `STORE.raw.duckdb`, then one
   transaction of the main file adds rows, ledger and `guard.exports`. Exports that are ready at the same moment share a
   transaction (opening, writing out and closing the files costs as much as judging ten small exports), so a kill leaves
   whole exports only. Keys grow, so what a killed run left in raw has keys above the main file's last: it is swept by
   whoever commits next.
3. *Nobody waits long.* The store is open only while a transaction is written or a reader copies what it needs into a
   database of its own; both hold the lock file for that time. DuckDB's own lock stays the last word: where a foreign
   program holds the file, we wait, say so, and give up after `--lock-timeout` with the exports still in the inbox.
4. *Flat cost.* What a run must know is read once, not per export. DuckDB writes the last row group of a table anew with
   every commit, which is cheap for numbers and ruinous for bytes: these lie in parts of bounded size (`raw.files` is a
   view over them).

The tables hold the current version of every export. `--reguard` judges again and moves the rows of the version before
into schema `superseded`, from where a receipt's figures are replayed.
"""
