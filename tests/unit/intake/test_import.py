"""Importing: three repositories, again, an update, copies, caps, licences, and what must not come in."""

from __future__ import annotations

import os
import shutil
import time
import zipfile
from collections import Counter
from pathlib import Path

import pytest
import yaml
from identify.vendor.licenses import LICENSES
from unit.intake.repositories import MIT, NO_DERIVATIVES, codes, commit, imported, repository, skill, write

from skill2env.errors import UsageError
from skill2env.models.outcome import Accepted
from skill2env.params import ImportParams
from skill2env.stages.parse import provenance_path, read_skill

COPIES = 2000
MAX_CPU_SEC = 20
"""Many times what 2,000 equal skills need; reading or screening each of them takes far more."""


def state(corpus: Path) -> dict[str, tuple[bytes, int, int]]:
    files = (path for path in sorted(corpus.rglob("*")) if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns) for path in files}


def test_a_repository_with_links(tmp_path: Path) -> None:
    secret = write(tmp_path, {"outside.txt": "not yours"}) / "outside.txt"
    source = repository(
        tmp_path / "linked",
        {
            "LICENSE": MIT,
            "shared/guide.md": "A guide.\n",
            "skills/inner/SKILL.md": skill("inner"),
            "skills/inner/guide.md": "-> ../../shared/guide.md",
            "skills/inner/more": "-> ../../shared",
            "skills/absolute/SKILL.md": skill("absolute"),
            "skills/absolute/file.txt": f"-> {secret}",
            "skills/climbing/SKILL.md": skill("climbing"),
            "skills/climbing/file.txt": "-> ../../../outside.txt",
            "skills/nowhere/SKILL.md": skill("nowhere"),
            "skills/nowhere/file.txt": "-> gone.txt",
            "skills/circle/SKILL.md": skill("circle"),
            "skills/circle/one": "-> two",
            "skills/circle/two": "-> one",
            "skills/itself/SKILL.md": skill("itself"),
            "skills/itself/loop": "-> .",
            ".claude/skills": "-> ../skills",
        },
    )
    corpus = tmp_path / "corpus"
    found = imported(source, corpus)
    assert {path: str(result.fate) for path, result in found.items()} == {
        "skills/inner": "new",
        "skills/absolute": "refused",
        "skills/climbing": "refused",
        "skills/nowhere": "refused",
        "skills/circle": "refused",
        "skills/itself": "refused",
    }
    assert codes(found["skills/climbing"]) == ["link-out-of-source"]
    assert [item.file for item in found["skills/climbing"].findings if item.severity == "error"] == [
        "file.txt"
    ]
    copied = corpus / "skills" / "inner"
    assert {str(path.relative_to(copied)) for path in copied.rglob("*") if path.is_file()} == {
        "SKILL.md",
        "guide.md",
        "more/guide.md",
    }
    assert not any(path.is_symlink() for path in corpus.rglob("*"))
    assert not any(b"not yours" in path.read_bytes() for path in corpus.rglob("*") if path.is_file())
    linked = imported(source, tmp_path / "other", part=".claude")
    assert str(linked["skills/inner"].fate) == "new"


def test_a_repository_with_mixed_licences(tmp_path: Path) -> None:
    source = repository(
        tmp_path / "mixed",
        {
            "README.md": "# Skills\n\n## License\n\nMIT License, unless a skill says otherwise.\n",
            "from-readme/SKILL.md": skill("from-readme"),
            "stated/SKILL.md": skill("stated", licence="Apache-2.0"),
            "own-file/SKILL.md": skill("own-file", licence="Apache-2.0"),
            "own-file/LICENSE.txt": MIT,
            "stated/license-guide.md": "How to choose a licence.\n",
            "closed/SKILL.md": skill("closed", licence="Proprietary. LICENSE.txt has complete terms"),
            "unknown/SKILL.md": skill("unknown"),
            "unknown/LICENSE": NO_DERIVATIVES,
            "non-commercial/SKILL.md": skill("non-commercial", licence="CC-BY-NC-4.0"),
            "choice/SKILL.md": skill("choice", licence="SSPL-1.0 OR MIT"),
            "both/SKILL.md": skill("both", licence="SSPL-1.0 AND MIT"),
            "plugin/.claude-plugin/plugin.json": '{"name": "plugin", "license": "ISC"}',
            "plugin/skills/deep/SKILL.md": skill("deep"),
            "vendor/COPYING": MIT,
            "vendor/skills/near-file/skill.MD": skill("near-file"),
        },
    )
    corpus = tmp_path / "corpus"
    found = imported(source, corpus, by_reference=True)
    assert {path: (str(result.fate), result.licence) for path, result in found.items()} == {
        "from-readme": ("new", "MIT"),
        "stated": ("new", "Apache-2.0"),
        "own-file": ("new", "MIT"),
        "closed": ("reference", "LicenseRef-Proprietary"),
        "unknown": ("reference", "NOASSERTION"),
        "non-commercial": ("reference", "CC-BY-NC-4.0"),
        "choice": ("new", "SSPL-1.0 OR MIT"),
        "both": ("reference", "SSPL-1.0 AND MIT"),
        "plugin/skills/deep": ("new", "ISC"),
        "vendor/skills/near-file": ("new", "MIT"),
    }
    record = yaml.safe_load((corpus / "provenance" / "closed.yaml").read_text())
    assert record["origin"] == "mixed" and record["path"] == "closed" and len(record["sha256"]) == 64
    assert not (corpus / "skills" / "closed").exists()
    assert "The Authors" in (corpus / "provenance" / "near-file.licence.txt").read_text()
    refused = imported(source, tmp_path / "other")
    assert codes(refused["closed"]) == ["licence-forbids"] and codes(refused["unknown"]) == [
        "licence-unknown"
    ]


@pytest.mark.parametrize(
    ("stated", "code"),
    [
        ("https://creativecommons.org/licenses/by-nc/4.0/", "licence-forbids"),
        ("SSPL-1.0, see LICENSE.md", "licence-forbids"),
        ("Elastic License 2.0, https://www.elastic.co/licensing/elastic-license", "licence-unknown"),
        ("Our own license", "licence-unknown"),
        ("https://git.example.org/someone/skills/LICENSE", "licence-unknown"),
        ("See LICENSE.md", ""),
        ("MIT (see LICENSE)", ""),
        ("tbd", ""),
    ],
)
def test_a_licence_above_does_not_count_where_the_skill_states_another(
    tmp_path: Path, stated: str, code: str
) -> None:
    source = write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a", licence=stated)})
    told = imported(source, tmp_path / "corpus")["a"]
    assert codes(told) == [code] * bool(code)
    assert (told.licence == "MIT") is not bool(code)


@pytest.mark.parametrize(
    ("readme", "code"),
    [
        ("# Us\n\n## License checking\n\nIt finds the GPL v3.\n", "licence-missing"),
        (
            "## License\n\nThis is not open source. You may not copy it. (Our other tool is MIT.)\n",
            "licence-unknown",
        ),
        ("## License\n\nMIT for personal use; companies pay.\n", "licence-unknown"),
        ("## License\n\nNobody may copy this.\n", "licence-missing"),
        ("## License: MIT\n\nSee the file.\n", ""),
        ("## License & Copyright\n\nMIT\n", ""),
        ("## License: MIT for personal use only\n", "licence-unknown"),
        ("## Licensing\n\nMIT\n\n## More\n\nNot for sale.\n", ""),
        ("## 📄 **License**\n\nMIT, free for personal and commercial use.\n", ""),
        ("Licenses\n--------\n\nMIT\n", ""),
    ],
)
def test_a_readme_states_a_licence_in_a_section_of_that_name(tmp_path: Path, readme: str, code: str) -> None:
    source = write(tmp_path / "skills", {"README.md": readme, "a/SKILL.md": skill("a")})
    told = imported(source, tmp_path / "corpus")["a"]
    assert codes(told) == [code] * bool(code)
    assert (told.licence == "MIT") is not bool(code)


def test_a_readme_that_forbids_hides_those_above(tmp_path: Path) -> None:
    files = {"README.md": "## License\n\nMIT\n", "a/README.md": "## License\n\nYou may not copy this.\n"}
    source = write(tmp_path / "skills", {**files, "a/b/SKILL.md": skill("b")})
    assert codes(imported(source, tmp_path / "corpus")["a/b"]) == ["licence-unknown"]


def test_a_repository_with_2000_copies(tmp_path: Path) -> None:
    text = skill("copied")
    files = {f"mirror/{number:04}/SKILL.md": text for number in range(COPIES)}
    near = {f"near/{number:02}/SKILL.md": text + f"\nMirrored {number}.\n" for number in range(40)}
    source = repository(
        tmp_path / "mirror", {"LICENSE": MIT, "z/other/SKILL.md": skill("other"), **files, **near}
    )
    start = time.process_time()
    corpus = tmp_path / "corpus"
    fates = Counter(str(result.fate) for result in imported(source, corpus).values())
    assert fates == {"new": 2, "copy": COPIES - 1, "near copy": 40}
    assert sorted(path.name for path in (corpus / "skills").iterdir()) == ["0000", "other"]
    assert time.process_time() - start < MAX_CPU_SEC


def test_again_changes_nothing(tmp_path: Path) -> None:
    source = repository(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a"), "a/run.sh": "echo\n"})
    os.chmod(source / "a" / "run.sh", 0o755)
    commit(source)
    corpus = tmp_path / "corpus"
    assert str(imported(source, corpus)["a"].fate) == "new"
    assert (corpus / "skills" / "a" / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (corpus / "skills" / "a" / "SKILL.md").stat().st_mode & 0o777 == 0o644
    before = state(corpus)
    assert str(imported(source, corpus, update=True)["a"].fate) == "unchanged"
    assert state(corpus) == before
    answer = read_skill(corpus / "skills" / "a", "a", provenance_path(corpus, "a"))
    assert isinstance(answer, Accepted) and answer.record.provenance is not None
    assert answer.record.provenance.licence == "MIT" and answer.record.provenance.path == "a"
    assert not {item.code for item in answer.record.findings} & {"provenance-hash-differs", "no-provenance"}


def test_an_update_tells_what_changed_and_what_it_touches(tmp_path: Path) -> None:
    lines = [f"Rule {number}." for number in range(20)]
    source = repository(
        tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a", *lines), "a/old.md": "Old.\n"}
    )
    corpus = tmp_path / "corpus"
    imported(source, corpus)
    spec = {
        "skill_refs": ["SKILL.md:7-9", "SKILL.md:12"],
        "rubric": [{"source": "SKILL.md:20-21"}, {"source": "old.md:1"}],
    }
    write(corpus, {"blueprints/a/task/blueprint.yaml": yaml.safe_dump(spec)})
    lines[5] = "Another rule."
    lines.insert(10, "One more.")
    (source / "a" / "SKILL.md").write_text(skill("a", *lines))
    (source / "a" / "old.md").unlink()
    (source / "a" / "new.md").write_text("New.\nMore.\n")
    commit(source)
    before = state(corpus)
    told = imported(source, corpus)["a"]
    assert str(told.fate) == "changed" and state(corpus) == before
    assert [(one.file, one.what, one.lines_added, one.lines_removed) for one in told.changes] == [
        ("SKILL.md", "changed", 2, 1),
        ("new.md", "added", 2, 0),
        ("old.md", "removed", 0, 1),
    ]
    assert [(one.blueprint, one.reference, one.now) for one in told.touched] == [
        ("a/task", "SKILL.md:12", ""),
        ("a/task", "SKILL.md:20-21", "SKILL.md:21-22"),
        ("a/task", "old.md:1", ""),
    ]
    assert str(imported(source, corpus, update=True)["a"].fate) == "updated"
    assert "Another rule." in (corpus / "skills" / "a" / "SKILL.md").read_text()
    assert str(imported(source, corpus)["a"].fate) == "unchanged"


def test_a_change_of_mode_alone_is_a_change(tmp_path: Path) -> None:
    source = write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a"), "a/run.sh": "echo\n"})
    imported(source, tmp_path / "corpus")
    os.chmod(source / "a" / "run.sh", 0o755)
    told = imported(source, tmp_path / "corpus")["a"]
    assert [(one.file, one.what) for one in told.changes] == [("run.sh", "mode")]


def test_a_licence_that_changed_is_told_though_the_files_are_the_same(tmp_path: Path) -> None:
    source = write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a")})
    corpus = tmp_path / "corpus"
    imported(source, corpus)
    apache = dict(LICENSES)["Apache-2.0"]
    (source / "LICENSE").write_text(apache)
    told = imported(source, corpus)["a"]
    assert str(told.fate) == "changed" and [item.code for item in told.findings] == ["licence-changed"]
    assert str(imported(source, corpus, update=True)["a"].fate) == "updated"
    assert yaml.safe_load(provenance_path(corpus, "a").read_text())["licence"] == "Apache-2.0"
    assert str(imported(source, corpus)["a"].fate) == "unchanged"
    (source / "LICENSE").write_text(NO_DERIVATIVES)
    told = imported(source, corpus, update=True)["a"]
    assert str(told.fate) == "refused" and "licence-changed" in [item.code for item in told.findings]


def test_every_notice_above_goes_along_wherever_the_licence_lies(tmp_path: Path) -> None:
    files = {
        "NOTICE": "By Ann.\n",
        "plugin/LICENSE": MIT,
        "plugin/NOTICE.txt": "By Ben.\n",
        "plugin/skills/a/SKILL.md": skill("a"),
        "own/b/SKILL.md": skill("b"),
        "own/b/LICENSE": MIT,
        "stated/c/SKILL.md": skill("c", licence="Apache-2.0"),
    }
    corpus = tmp_path / "corpus"
    imported(write(tmp_path / "skills", files), corpus)
    texts = {name: (corpus / "provenance" / f"{name}.licence.txt").read_text() for name in "abc"}
    assert all(part in texts["a"] for part in ("The Authors", "By Ben.", "By Ann."))
    assert texts["b"] == texts["c"] == "NOTICE\n\nBy Ann.\n"


def test_the_text_of_a_licence_that_no_longer_counts_is_taken_away(tmp_path: Path) -> None:
    source = write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a")})
    corpus = tmp_path / "corpus"
    imported(source, corpus)
    assert (corpus / "provenance" / "a.licence.txt").exists()
    (source / "LICENSE").unlink()
    write(source, {"a/SKILL.md": skill("a", licence="Apache-2.0")})
    assert imported(source, corpus, update=True)["a"].licence == "Apache-2.0"
    assert sorted(path.name for path in (corpus / "provenance").iterdir()) == ["a.yaml"]


def test_what_was_changed_here_is_not_replaced(tmp_path: Path) -> None:
    source = write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a")})
    corpus = tmp_path / "corpus"
    imported(source, corpus)
    (corpus / "skills" / "a" / "SKILL.md").write_text(skill("a", "Mine."))
    (source / "a" / "SKILL.md").write_text(skill("a", "Theirs."))
    told = imported(source, corpus, update=True)["a"]
    assert str(told.fate) == "refused" and codes(told) == ["changed-here"]
    assert "Mine." in (corpus / "skills" / "a" / "SKILL.md").read_text()


def test_what_is_gone_at_the_source_is_told(tmp_path: Path) -> None:
    source = write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")})
    imported(source, tmp_path / "corpus")
    (source / "b" / "SKILL.md").unlink()
    assert {path: str(one.fate) for path, one in imported(source, tmp_path / "corpus").items()} == {
        "a": "unchanged",
        "b": "gone",
    }


@pytest.mark.parametrize("part", ["k", "k/", "./k", "/k", "k/."])
def test_what_is_gone_is_told_of_a_part_however_it_is_written(part: str, tmp_path: Path) -> None:
    files = {"LICENSE": MIT, "k/a/SKILL.md": skill("a"), "k/b/SKILL.md": skill("b"), "m/SKILL.md": skill("m")}
    source, corpus = write(tmp_path / "skills", files), tmp_path / "corpus"
    imported(source, corpus)
    shutil.rmtree(source / "m")
    for left, fates in (("a", {"k/a": "unchanged", "k/b": "gone"}), ("", {"k/a": "gone", "k/b": "gone"})):
        shutil.rmtree(source / "k" / ("b" if left else ""))
        assert {path: str(one.fate) for path, one in imported(source, corpus, part=part).items()} == fates


def test_caps_of_repository_and_author(tmp_path: Path) -> None:
    by = {f"by/{who}-{number}/SKILL.md": skill(f"{who}-{number}").replace("\n---\n", f"\nauthor: {who}\n---\n", 1)
          for who in ("ann", "ben") for number in range(4)}  # fmt: skip
    source = write(tmp_path / "skills", {"LICENSE": MIT, **by})
    fates = imported(source, tmp_path / "one", ImportParams(max_per_author=3))
    assert Counter(str(one.fate) for one in fates.values()) == {"new": 6, "over cap": 2}
    fates = imported(source, tmp_path / "two", ImportParams(max_per_repository=5))
    assert Counter(str(one.fate) for one in fates.values()) == {"new": 5, "over cap": 3}
    again = imported(source, tmp_path / "two", ImportParams(max_per_repository=5))
    assert Counter(str(one.fate) for one in again.values()) == {"unchanged": 5, "over cap": 3}


def test_secrets_and_personal_data_keep_a_skill_out_with_their_line(tmp_path: Path) -> None:
    token = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6"
    source = write(
        tmp_path / "skills",
        {
            "LICENSE": MIT + "\nContact: Ann Author <ann.author@realmail.net>\n",
            "key/SKILL.md": skill("key"),
            "key/scripts/run.sh": f"#!/bin/sh\nexport GITHUB_TOKEN={token}\n",
            "mail/SKILL.md": skill("mail", "Write to ann.author@realmail.net or you@example.org."),
            "clean/SKILL.md": skill(
                "clean", "Write to support@realmail.net, from /home/user/x, token ghp_xxxx."
            ),
        },
    )
    found = imported(source, tmp_path / "corpus", by_reference=True)
    errors = {
        path: [(i.code, i.file, i.line) for i in one.findings if i.severity == "error"]
        for path, one in found.items()
    }
    assert errors == {
        "clean": [],
        "key": [("secret", "scripts/run.sh", 2)],
        "mail": [("email-address", "SKILL.md", 7)],
    }
    assert str(found["key"].fate) == str(found["mail"].fate) == "refused"
    assert not any(token in item.message for item in found["key"].findings)
    accepted = imported(source, tmp_path / "corpus", accepted=frozenset({"mail/SKILL.md:7"}))
    assert str(accepted["mail"].fate) == "new" and str(accepted["key"].fate) == "refused"


def test_all_places_of_many_can_be_accepted_and_only_those_that_are_named(tmp_path: Path) -> None:
    lines = [f"Mail ann.author{number}@realmail.net." for number in range(25)]
    source = write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a", *lines)})
    corpus = tmp_path / "corpus"
    places = [f"a/SKILL.md:{number}" for number in range(7, 32)]
    told = imported(source, corpus, accepted=frozenset({*places[:20], "a/:0", ":0"}))["a"]
    assert [item.line for item in told.findings] == list(range(27, 32))
    told = imported(source, corpus, accepted=frozenset({*places[:2], "a/:0", ":0"}))["a"]
    assert [item.line for item in told.findings] == [*range(9, 29), 0]
    assert str(imported(source, corpus, accepted=frozenset(places))["a"].fate) == "new"


def test_a_place_is_accepted_for_one_of_two_equal_skills_only(tmp_path: Path) -> None:
    text = skill("a", "Mail ann.author@realmail.net.")
    source = write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": text, "b/SKILL.md": text})
    found = imported(source, tmp_path / "corpus", accepted=frozenset({"b/SKILL.md:7"}))
    assert {path: str(one.fate) for path, one in found.items()} == {"a": "refused", "b": "new"}


def test_equal_names_get_names_of_their_own_whatever_they_are(tmp_path: Path) -> None:
    source = write(
        tmp_path / "skills",
        {
            "LICENSE": MIT,
            "x/--help/SKILL.md": skill("one"),
            "y/Help/SKILL.md": skill("two"),
            "z/数据/SKILL.md": skill("three"),
            "SKILL.md": skill("top"),
        },
    )
    found = imported(source, tmp_path / "corpus")
    names = [one.skill_id for one in found.values()]
    assert (
        names[0] == "skills"
        and names[1] == "help"
        and names[2].startswith("help-")
        and names[3].startswith("skill-")
    )
    assert all(name.strip("-") == name and "--" not in name for name in names)
    assert not (tmp_path / "corpus" / "skills" / "skills" / "x").exists()


def test_a_name_that_a_near_copy_did_not_take_is_free_for_another(tmp_path: Path) -> None:
    files = {
        "LICENSE": MIT,
        "a/SKILL.md": skill("a"),
        "b/x/SKILL.md": skill("a", "Mirrored."),
        "c/x/SKILL.md": skill("c"),
    }
    found = imported(write(tmp_path / "skills", files), tmp_path / "corpus")
    assert {path: (str(one.fate), one.skill_id, one.like) for path, one in found.items()} == {
        "a": ("new", "a", ""),
        "b/x": ("near copy", "", "a"),
        "c/x": ("new", "x", ""),
    }


def test_a_killed_import_is_finished_by_the_next(tmp_path: Path) -> None:
    source = write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a")})
    corpus = tmp_path / "corpus"
    imported(source, corpus)
    (corpus / "provenance" / "a.yaml").unlink()
    assert imported(source, corpus)["a"].skill_id == "a"
    assert sorted(path.name for path in (corpus / "skills").iterdir()) == ["a"]


def test_what_parse_would_refuse_is_refused(tmp_path: Path) -> None:
    source = write(
        tmp_path / "skills",
        {"LICENSE": MIT, "a/SKILL.md": "", "b/SKILL.md": skill("b"), "b/odd\x07name": "x"},
    )
    found = imported(source, tmp_path / "corpus")
    assert codes(found["a"])[-1] == "not-a-skill"
    assert "name-control-character" in codes(found["b"])


def test_names_that_no_disk_takes_are_the_skills_fault(tmp_path: Path) -> None:
    long = "x" * 300
    place = tmp_path / "skills.zip"
    with zipfile.ZipFile(place, "w") as packed:
        packed.writestr("LICENSE", MIT)
        packed.writestr("a/SKILL.md", skill("a"))
        packed.writestr(f"a/{long}", "x")
        packed.writestr("b/SKILL.md", skill("b"))
        packed.writestr("b/both", "x")
        packed.writestr("b/both/file", "x")
        packed.writestr("c/SKILL.md", skill("c"))
    found = imported(place, tmp_path / "corpus")
    assert {path: (str(one.fate), codes(one)) for path, one in found.items()} == {
        "a": ("refused", ["not-a-skill"]),
        "b": ("refused", ["not-a-skill"]),
        "c": ("new", []),
    }


def test_a_missing_part_or_corpus_is_one_sentence(tmp_path: Path) -> None:
    source = write(tmp_path / "skills", {"LICENSE": MIT, "a/SKILL.md": skill("a")})
    with pytest.raises(UsageError, match="has no folder 'b'"):
        imported(source, tmp_path / "corpus", part="b")
