"""A store as Delta Lake: for many machines and terabytes, read by Spark, Databricks, polars and DuckDB without us.

    STORE/guard/exports   an export's tables, one a row: identity, counts, and the ledger of each as nested lists
    STORE/raw/files       the exports' bytes (zstd)
    STORE/raw/texts       the texts of columns that were changed, cleared or refused, one cell a row
    STORE/tables/NAME     the corrected rows, partitioned by `_day` (the export was last written) and `_station`
    STORE/guard/seen, STORE/guard/runs   what `ingest` looked at and did

Each is a Delta table of its own, and Delta's transactions are of one table. How an export is there once and whole:

1. *The claim.* One commit of `guard/exports` gives each export of a batch its key and holds its whole ledger. It is
   made at exactly the version that follows what the writer had read; if another writer was faster, that one's exports
   are read first and the keys are taken anew. So no two exports have one key, and of two writers who bring the same
   bytes one finds the other's claim.
2. *Bytes and texts*, each with an application transaction for the export (its SHA-256, its key).
3. *The rows decide.* One commit a table for all exports of a batch, with an application transaction for each. Delta
   refuses a second commit of the same transaction, so rows are never there twice, also when an export of a killed run
   is taken up while that was only slow. An export that is judged again replaces its rows in that same commit; the
   earlier rows are in the table's earlier version.

Whatever has rows has its ledger. A claim without rows is what a killed run left: readers pass over it, `status` lists
it, and the next run that meets the export takes it up under its key. An export of several tables counts when all of
them are there. A reader pins a version of each table; a receipt names them.

No version is ever cleaned up by us, and compaction only adds files, so that receipts of years ago replay. Who needs the
space runs Delta's own vacuum, and earlier versions go. Never run delta-rs' `optimize` on a store that somebody may be
writing to (see `compaction`). Writers on several machines and object stores need a
put-if-absent there, which S3, Azure, Google and MinIO have.

A column's type never changes, since others read it: numbers with a unit are doubles from the start, and what does not
fit gets a column of its own by the rules of `columns`.
"""
