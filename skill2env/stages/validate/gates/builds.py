"""Holds when the image builds within the limits on size and seconds."""

from __future__ import annotations

from skill2env.models.report import GateResult
from skill2env.stages.validate.subject import Subject

NAME = "builds"
VERSION = "1"


def check(subject: Subject) -> GateResult:
    """Build the image."""
    image, params = subject.image, subject.params
    figures = {"image_mb": round(image.size_mb, 1), "image_build_sec": round(image.build_sec, 3)}
    if image.size_mb > params.max_image_mb:
        message = f"the image has {image.size_mb:.0f} MB, above validate.max_image_mb ({params.max_image_mb}); drop packages"
        return GateResult(gate=NAME, passed=False, message=message, figures=figures)
    if image.build_sec > params.max_build_sec:
        message = f"building took {image.build_sec:.0f} s, more than validate.max_build_sec allows ({params.max_build_sec})"
        return GateResult(gate=NAME, passed=False, message=message, figures=figures)
    return GateResult(
        gate=NAME, passed=True, message=f"{image.size_mb:.0f} MB in {image.build_sec:.1f} s", figures=figures
    )
