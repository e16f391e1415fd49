"""A coverage-guided fuzzer on the reader: `python -m tests.fuzz`."""
