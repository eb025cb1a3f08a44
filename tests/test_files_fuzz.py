import random

import pytest

from tallytext.errors import TallytextError

pytest.importorskip("resource")
from fuzz import fuzz_files


def test_bent_files_are_refused_or_read_as_something_that_works():
    # Some are read: those with one sum that could as well have been another.
    assert 0 < fuzz_files.fuzz(200, seed=0, report=lambda _: None) < 50


def test_checksums_made_anew_leave_only_what_is_wrong_with_a_file(tmp_path):
    path, rng = tmp_path / "file", random.Random(0)
    subject = fuzz_files.model_file(path, fuzz_files.MODELS[0])
    path.write_bytes(fuzz_files.sealed(subject.content))
    assert subject.load(path)
    bent = fuzz_files.edit_array(rng, subject.content)
    reasons = {bent: "checksum", fuzz_files.sealed(bent): r"this is not a (tally|vocabulary)"}
    for content, reason in reasons.items():
        path.write_bytes(content)
        with pytest.raises(TallytextError, match=reason):
            subject.load(path)
