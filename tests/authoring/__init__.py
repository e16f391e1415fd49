"""Authoring sessions as scripted completions: what an author would say, written by hand and labelled as that."""
