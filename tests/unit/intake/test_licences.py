"""Licences: as people write them, as files hold them, and texts that only look like known ones."""

from __future__ import annotations

import time

import pytest
from identify.vendor.licenses import LICENSES

from skill2env.intake.licences.spdx import CLOSED, expression, is_silent, named_in, narrows, permits
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
        ("The Unlicense", "Unlicense"),
        ("MIT/Apache-2.0", "MIT OR Apache-2.0"),
        ("MIT / Commercial", None),
        ("GNU General Public License v3.0", "GPL-3.0-only"),
        ("GNU General Public License, version 2", "GPL-2.0-only"),
        ("GNU Affero General Public License v3.0", "AGPL-3.0-only"),
        ("GNU Lesser General Public License v2.1", "LGPL-2.1-only"),
        ("CC BY-NC 4.0 (https://creativecommons.org/licenses/by-nc/4.0/)", "CC-BY-NC-4.0"),
        ("SSPL-1.0, see LICENSE.md", "SSPL-1.0"),
        ("Business Source License 1.1 - see LICENSE.txt", None),
        ("Elastic License 2.0, https://www.elastic.co/licensing/elastic-license", None),
        ("MIT (commercial use requires a paid plan, see https://x.example)", None),
        ("MIT (see LICENSE for details; hosting is extra)", None),
        ("MIT (see our terms for businesses)", None),
        ("MIT " + "https://x.example/" * 20 + " for schools", None),
        ("Free for personal use only. https://example.com/terms", None),
        ("MIT (see LICENSE)", "MIT"),
        ("MIT License (see the LICENSE file for details).", "MIT"),
        ("MIT, https://git.example.org/someone/skills/LICENSE", "MIT"),
        ("[MIT](https://opensource.org/licenses/MIT)", "MIT"),
        ("Apache-2.0 https://www.apache.org/licenses/LICENSE-2.0", "Apache-2.0"),
        ("GPL-3.0-or-later, https://www.gnu.org/licenses/gpl-3.0.en.html", "GPL-3.0-or-later"),
        ("Apache-2.0 (https://opensource.org/licenses/MIT)", None),
        ("Vibecoded", None),
        ("mitigated", None),
        ("MIT" * 200, None),
        ("(" * 290, None),
    ],
)
def test_short_statements(written: str, spdx: str | None) -> None:
    assert expression(written) == spdx


@pytest.mark.parametrize(
    ("address", "spdx"),
    [
        ("https://creativecommons.org/licenses/by-nc/4.0/", "CC-BY-NC-4.0"),
        ("See http://creativecommons.org/licenses/by-sa/3.0/legalcode.en", "CC-BY-SA-3.0"),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0"),
        ("https://opensource.org/license/apache-2-0", "Apache-2.0"),
        ("http://www.opensource.org/licenses/mit-license.php", "MIT"),
        ("https://spdx.org/licenses/BSD-3-Clause.html", "BSD-3-Clause"),
        ("https://www.apache.org/licenses/LICENSE-2.0.txt", "Apache-2.0"),
        ("https://www.gnu.org/licenses/old-licenses/gpl-2.0.html", "GPL-2.0-only"),
        ("https://creativecommons.org/licenses/by/3.0/us/", None),
        ("https://opensource.org/licenses", None),
        ("https://x.example/opensource.org/licenses/MIT", None),
        ("https://git.example.org/someone/skills/blob/main/LICENSE", None),
    ],
)
def test_addresses_of_well_known_texts(address: str, spdx: str | None) -> None:
    assert expression(address) == spdx and not is_silent(address)


def test_placeholders_and_names_of_licence_files_say_nothing() -> None:
    silent = ["", "-", "Unknown", "none.", "N/A", "TBD", "LICENSE", "the LICENSE file", "See ../../LICENSE"]
    silent += ["Complete terms in LICENSE.txt", "LICENSE.txt has complete terms", "SEE LICENSE IN LICENSE.md"]
    assert [text for text in silent if not is_silent(text)] == []
    telling = [
        "MIT",
        "Custom license",
        "Proprietary. LICENSE.txt has complete terms",
        "No license",
        "x LICENSE.md",
    ]
    assert [text for text in telling if is_silent(text)] == []


def test_prose() -> None:
    assert named_in("Released under the MIT License; see LICENSE.") == "MIT"
    assert named_in("Code: Apache 2.0. Texts: CC BY-SA 4.0.") == "Apache-2.0 AND CC-BY-SA-4.0"
    assert named_in("MIT for non-commercial use") == CLOSED
    assert named_in("Permit me to submit.") is None
    assert not narrows("MIT, unless a skill says otherwise. Free for personal and commercial use.")
    assert (
        narrows("MIT for personal use.")
        and narrows("MIT. You don't get to sell it.")
        and narrows("MIT，仅限学习")
    )


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


@pytest.mark.parametrize("name", ["Apache-2.0", "GPL-2.0", "GPL-3.0", "LGPL-2.1"])
@pytest.mark.parametrize(
    "added",
    [
        "Selling or hosting this software, or passing it on, needs a written agreement with its makers.",
        "You shall not host this software for others.",
        "\n".join(
            f"{number}. Whoever uses part {number} must hold a paid licence for it." for number in range(40)
        ),
        "Copyright 2026 Ann Author. Hosting requires a paid plan.",
        "商业使用需另行购买授权",
    ],
)
def test_what_follows_known_terms_must_be_their_appendix(name: str, added: str) -> None:
    terms, end, appendix = TEXTS[name].partition("END OF TERMS AND CONDITIONS")
    assert text_licence(f"{terms}{end}\n\n{added}\n") is None
    assert text_licence(f"{terms}{end}{appendix}\n{added}\n") is None


def test_an_appendix_may_be_left_out_cut_and_filled_in() -> None:
    terms, end, appendix = TEXTS["Apache-2.0"].partition("END OF TERMS AND CONDITIONS")
    filled = appendix.replace("[yyyy] [name of copyright owner]", "2026 Ann Author and many other friends")
    notice = filled[filled.index("   Copyright") :].replace("http:", "https:")
    assert [text_licence(terms + end + rest) for rest in ("", filled, notice)] == ["Apache-2.0"] * 3
    older = TEXTS["GPL-2.0"].replace("51 Franklin Street, Fifth Floor", "9 Other Place, Suite 330")
    assert text_licence(older) == "GPL-2.0-only"


def test_words_that_a_known_text_lost_make_no_room_for_others() -> None:
    text = TEXTS["MIT"].replace(
        "including without limitation the rights", "including the rights, not for sale,"
    )
    assert text_licence(text.replace("AND NONINFRINGEMENT. IN NO EVENT", "IN ANY EVENT")) is None
    assert text_licence(TEXTS["MIT"].replace("[fullname]", "Ann Author, for personal use only")) is None


@pytest.mark.parametrize(
    "rest",
    [
        "Non-commercial use only. Redistribution is prohibited.",
        "Copyright 2026 Ann Author. Non-commercial use only.",
        "Hosting requires a paid plan.",
        "All rights reserved.",
        "仅限个人使用",
        TEXTS["GPL-3.0"],
        TEXTS["MIT"] + "\nThe Software may not be sold.",
    ],
)
def test_a_tag_does_not_count_where_its_file_takes_it_back(rest: str) -> None:
    assert text_licence(f"SPDX-License-Identifier: MIT\n\n{rest}\n") is None


@pytest.mark.parametrize(
    ("tag", "rest"),
    [
        ("MIT", "Copyright 2026 Ann Author\nAll rights reserved.\n\n" + TEXTS["MIT"]),
        ("MIT", "Copyright (c) 2026 Ann Author. All rights reserved.\nSee the file AUTHORS."),
        ("Apache-2.0", TEXTS["Apache-2.0"].split("owner]")[1]),
        ("GPL-3.0-or-later", TEXTS["GPL-3.0"]),
    ],
)
def test_a_tag_counts_above_the_text_that_it_names(tag: str, rest: str) -> None:
    assert text_licence(f"SPDX-License-Identifier: {tag}\n\n{rest}\n") == tag


def test_hostile_licence_files_are_read_in_no_time() -> None:
    start = time.process_time()
    for text in (
        "SPDX-License-Identifier: " + "- " * 90_000 + "x",
        "SPDX-License-Identifier: MIT\n" * 6_000,
        "copyright " * 20_000 + "\n" * 1_000,
        "END OF TERMS AND CONDITIONS " * 7_000,
    ):
        text_licence(text)
    assert time.process_time() - start < 5


def test_names_of_licence_files() -> None:
    names = ["LICENSE", "license.txt", "LICENCE.md", "COPYING", "UNLICENSE", "LICENSE-MIT", "COPYING.LESSER"]
    names += [
        "license-mit.txt",
        "license_GPLv3",
        "License-2.0.txt",
        "LICENSE-PARTNERS",
        "license-commercial.md",
    ]
    assert all(is_licence_file(name) for name in names)
    assert not any(
        is_licence_file(name)
        for name in (
            "license.py",
            "licenses",
            "README",
            "license_check.sh",
            "copying-files",
            "license-guide.md",
            "License_server.txt",
            "license-mitigation.md",
            "LICENSE.csv",
        )
    )
