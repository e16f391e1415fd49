"""A scripted server that speaks the protocols of language models, and what is measured against it."""
