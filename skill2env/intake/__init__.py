"""Takes skills of others into a corpus: read from a repository, folder or archive, judged, and put on record."""
