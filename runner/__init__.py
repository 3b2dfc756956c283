"""A sandbox for snippets that a model wrote: Python and SQL on corrected tables, without any right on the machine."""

from runner.errors import ImageError, LimitsError, ProtocolError, RunnerError, UnavailableError
from runner.image import Image, ImageStatus, find_image, image_status, install_image, verify_image
from runner.limits import ResourceLimits
from runner.result import Artifact, RunError, RunResult
from runner.sandbox import Sandbox

__all__ = [
    "Artifact",
    "Image",
    "ImageError",
    "ImageStatus",
    "LimitsError",
    "ProtocolError",
    "ResourceLimits",
    "RunError",
    "RunResult",
    "RunnerError",
    "Sandbox",
    "UnavailableError",
    "find_image",
    "image_status",
    "install_image",
    "verify_image",
]
