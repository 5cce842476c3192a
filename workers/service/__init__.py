"""Where the pure core meets the store: load, resolve, commit; check, book; publish, archive, replay."""
