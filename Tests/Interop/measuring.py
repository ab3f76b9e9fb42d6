"""The mark of tests that measure seconds or kilobytes."""

import pytest

from handlebar_harness import SANITIZED

measured = pytest.mark.skipif(SANITIZED, reason="a build with a sanitizer is slower and larger than what is measured here")
