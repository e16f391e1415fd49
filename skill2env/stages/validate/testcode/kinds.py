"""What a value of a test module may have been made with."""

from __future__ import annotations

DELIVERED = "a delivered path"
CONTENT = "content of a delivered file"
WHOLE = "the text of a delivered file"
TOLD = "what delivered code said"
HIDDEN = "a hidden file"
TRUTH = "the truth"
UNKNOWN = "an unknown argument"
OWN = "a folder of the test's own"
