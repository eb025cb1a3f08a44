import random

import pytest

from tallytext.errors import TallytextError

pytest.importorskip("resource")
import attack_model_files
import bending
import subjects


def test_bent_files_are_refused_or_read_as_something_that_works():
    counts = attack_model_files.fuzz(300, seed=0, report=lambda _: None)
    # Some are read: those with one sum, or one setting, that could as well have been another.
    assert 0 < counts[attack_model_files.READ] < 75
    assert counts["FileError"] > 150


def test_checksums_made_anew_leave_only_what_is_wrong_with_a_file(tmp_path):
    path, rng = tmp_path / "file", random.Random(0)
    subject = next(subjects.model_subjects(path))
    path.write_bytes(bending.sealed(subject.content))
    assert subject.load(path)
    bent = bending.edit_array(rng, subject.content)
    reasons = {bent: "checksum", bending.sealed(bent): r"this is not a (tally|vocabulary)"}
    for content, reason in reasons.items():
        path.write_bytes(content)
        with pytest.raises(TallytextError, match=reason):
            subject.load(path)
