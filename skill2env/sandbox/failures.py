"""What the Docker SDK raises where an engine fails or is gone."""

from __future__ import annotations

from docker.errors import DockerException
from urllib3.exceptions import HTTPError

FAILURES = (DockerException, HTTPError, OSError)
"""All of it: those of requests are OSErrors; a stream that breaks off while it is read raises urllib3's own."""
