"""What every image stands on: the base's tag and the versions in `dockerfiles/pins.yaml`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml
from pydantic import ValidationError

from skill2env.errors import UsageError
from skill2env.models.base import Record

DOCKERFILES = Path(__file__).resolve().parents[2] / "dockerfiles"


class Pins(Record):
    """The content of `dockerfiles/pins.yaml`."""

    base: str
    """The dated tag that every image starts from."""
    suite: str
    """Debian's name of the release of `base`."""
    epoch: int
    """Time of the files of a bootstrapped base, in seconds since 1970."""
    verifier_apt: dict[str, str]
    """Version of each Debian package that the verifier's interpreter gets."""


@cache
def pins(folder: Path = DOCKERFILES) -> Pins:
    """The pinned versions.

    Raises:
        UsageError: `pins.yaml` is missing or not valid.
    """
    path = folder / "pins.yaml"
    try:
        return Pins.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise UsageError(
            f"{path} can't be read: {error}; take the file of the repository, or correct it"
        ) from error
