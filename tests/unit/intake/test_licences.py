"""Licences: as people write them, as files hold them, and texts that only look like known ones."""

from __future__ import annotations

import pytest
from identify.vendor.licenses import LICENSES

from skill2env.intake.licences.spdx import CLOSED, expression, named_in, permits
from skill2env.intake.licences.texts import is_licence_file, text_licence

TEXTS = dict(LICENSES)


@pytest.mark.parametrize(
    ("written", "spdx"),
    [
        ("MIT", "MIT"),
        ("mit license", "MIT"),
        ("The MIT License", "MIT"),
        ("Apache 2.0", "Apache-2.0"),
        ("Apache License, Version 2.0", "Apache-2.0"),
        ("BSD-3-Clause license", "BSD-3-Clause"),
        ("3-clause BSD license", "BSD-3-Clause"),
        ("GPLv3", "GPL-3.0-only"),
        ("CC BY 4.0", "CC-BY-4.0"),
        ("CC BY-NC-SA 3.0", "CC-BY-NC-SA-3.0"),
        ("Apache-2.0 or MIT", "Apache-2.0 OR MIT"),
        ("GPL-2.0-only WITH Classpath-exception-2.0", "GPL-2.0-only WITH Classpath-exception-2.0"),
        ("Proprietary. LICENSE.txt has complete terms", CLOSED),
        ("MIT, non-commercial use only", CLOSED),
        ("UNLICENSED", CLOSED),
        ("Vibecoded", None),
        ("mitigated", None),
        ("MIT" * 200, None),
        ("(" * 290, None),
    ],
)
def test_short_statements(written: str, spdx: str | None) -> None:
    assert expression(written) == spdx


def test_prose() -> None:
    assert named_in("Released under the MIT License; see LICENSE.") == "MIT"
    assert named_in("Code: Apache 2.0. Texts: CC BY-SA 4.0.") == "Apache-2.0 AND CC-BY-SA-4.0"
    assert named_in("MIT for non-commercial use") == CLOSED
    assert named_in("Permit me to submit.") is None


@pytest.mark.parametrize(
    ("spdx", "allowed"),
    [
        ("MIT", True),
        ("SSPL-1.0", False),
        ("SSPL-1.0 OR MIT", True),
        ("SSPL-1.0 AND MIT", False),
        ("(SSPL-1.0 AND MIT) OR (MIT AND ISC)", True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", True),
        (CLOSED, False),
    ],
)
def test_what_an_expression_permits(spdx: str, allowed: bool) -> None:
    assert permits(spdx, {"MIT", "ISC", "GPL-2.0-only"}) is allowed


@pytest.mark.parametrize(
    "name", ["MIT", "Apache-2.0", "BSD-3-Clause", "CC-BY-4.0", "MPL-2.0", "ISC", "Unlicense"]
)
def test_known_texts(name: str) -> None:
    assert text_licence(TEXTS[name]) == name


def test_texts_with_small_changes() -> None:
    named = (
        TEXTS["MIT"]
        .replace("[year] [fullname]", "2026 Ann Author")
        .replace("MIT License", "The MIT License (MIT)")
    )
    assert text_licence(named) == "MIT"
    assert text_licence(TEXTS["Apache-2.0"].split("   APPENDIX")[0]) == "Apache-2.0"
    assert text_licence("/* SPDX-License-Identifier: MIT OR Apache-2.0 */\n") == "Apache-2.0 OR MIT"


@pytest.mark.parametrize(
    "text",
    [
        TEXTS["MIT"].replace("to deal", "to deal, for non-commercial purposes,"),
        TEXTS["MIT"].replace("MIT License", "MIT License, for academic use"),
        TEXTS["Apache-2.0"] + "\nThe Software may not be sold.\n",
        TEXTS["CC-BY-4.0"].replace("Attribution 4.0", "Attribution-NonCommercial 4.0"),
        "SPDX-License-Identifier: Whatever\n",
        "All rights reserved.",
        "",
    ],
)
def test_texts_that_only_look_like_known_ones(text: str) -> None:
    assert text_licence(text) is None


def test_names_of_licence_files() -> None:
    names = ["LICENSE", "license.txt", "LICENCE.md", "COPYING", "UNLICENSE", "LICENSE-MIT", "COPYING.LESSER"]
    assert all(is_licence_file(name) for name in names)
    assert not any(
        is_licence_file(name)
        for name in ("license.py", "licenses", "README", "license_check.sh", "copying-files")
    )
