"""All of `params.yaml`, and how it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field, ValidationError

from skill2env.errors import UsageError
from skill2env.models.base import Record
from skill2env.params.llm import LlmParams
from skill2env.params.stages import (
    BuildParams,
    DraftParams,
    DriverParams,
    ImportParams,
    ParseParams,
    PublishParams,
    RolloutParams,
    ValidateParams,
)


class Params(Record):
    """The whole of `params.yaml`."""

    corpus: str = "skills_corpus"
    """Folder with skills, provenance and blueprints, relative to the workspace."""
    driver: DriverParams = DriverParams()
    """The driver."""
    llm: LlmParams = LlmParams()
    """Language models."""
    import_: Annotated[ImportParams, Field(alias="import")] = ImportParams()
    """Import."""
    parse: ParseParams = ParseParams()
    """The parse stage."""
    draft: DraftParams = DraftParams()
    """The draft stage."""
    build: BuildParams = BuildParams()
    """The build stage."""
    validate_: Annotated[ValidateParams, Field(alias="validate")] = ValidateParams()
    """The validate stage."""
    rollout: RolloutParams = RolloutParams()
    """The rollout stage."""
    publish: PublishParams = PublishParams()
    """The publish stage."""


def load_params(path: Path) -> Params:
    """Return the parameters of a file.

    Raises:
        UsageError: the file is missing, is not YAML, or a value is unknown or out of bounds; all faults are named.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        return Params.model_validate(data)
    except OSError as error:
        raise UsageError(
            f"{path}: can't be read ({error.strerror}); run in a workspace or name one with --workspace"
        ) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise UsageError(
            f"{path}:{mark.line + 1 if mark else 1}: not valid YAML, {getattr(error, 'problem', error)}; correct the line"
        ) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}:{line}: not UTF-8 ({error.reason}); save it as UTF-8") from None
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise UsageError(f"{path}: {faults}; see docs/parameters.md") from None
