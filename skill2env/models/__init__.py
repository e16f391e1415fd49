"""The nouns of the system: frozen records without any input or output of their own."""
