"""Opens what skills are imported from: a git repository by URL or path, an archive, or a folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skill2env.errors import UsageError
from skill2env.intake.sources.archives import archive
from skill2env.intake.sources.folder import folder
from skill2env.intake.sources.git import is_repository, is_url, repository
from skill2env.intake.sources.source import Source

__all__ = ["Source", "opened"]


@contextmanager
def opened(where: str, revision: str = "", origin: str = "") -> Iterator[Source]:
    """Give the source that `where` names; nothing of it is executed or written under its own names.

    Args:
        where: an https URL of a git repository, or the path of a repository, a folder or an archive.
        revision: branch, tag or whole commit id of a repository; empty for its HEAD.
        origin: what provenance is to say of a local source; empty for its name.

    Raises:
        UsageError: there is no such source, it can't be read, or it exceeds a limit.
    """
    path = Path(where)
    if is_url(where):
        kind = repository(where, revision, origin)
    elif path.is_dir() and is_repository(path):
        kind = repository(str(path.resolve()), revision, origin or path.resolve().name)
    elif revision:
        raise UsageError(
            f"{where} is no git repository, so it has no revision {revision!r}; leave out --revision"
        )
    elif path.is_dir():
        kind = folder(path, origin or path.resolve().name)
    elif path.is_file():
        kind = archive(path, origin or path.name)
    else:
        raise UsageError(f"{where} is no https URL, repository, folder or archive; name one")
    with kind as source:
        source.guessed = not origin and not is_url(where)
        yield source
