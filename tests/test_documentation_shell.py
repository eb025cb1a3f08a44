import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pages import PAGES, blocks


@pytest.mark.skipif(os.name == "nt", reason="the blocks are for a Unix shell")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_shell_block_of_a_page_runs(page, tmp_path):
    # The set-up is run by whoever runs this.
    scripts = [block for block in blocks(page, "sh") if not re.match(r"make |pip ", block)]
    folder = str(Path(sys.executable).parent)
    environment = os.environ | {"PATH": os.pathsep.join([folder, os.environ["PATH"]])}
    script = "\n".join(["set -eu", *scripts])
    result = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
