"""The only code that touches `data/`: paths, shards, and the content-addressed store of results."""
