import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pages import PAGES, blocks
from warm_tally import warm_tally

# As users start it; elsewhere nobody waits for imports.
AS_INSTALLED = "index.md"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the blocks are for a Unix shell")


@pytest.fixture(scope="module")
def warm():
    with warm_tally() as folder:
        yield folder


def run(script, place, *folders):
    path = os.pathsep.join([*folders, str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path}
    return subprocess.run(
        ["sh", "-c", script], cwd=place, env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_shell_block_of_a_page_runs(page, warm, tmp_path):
    # The set-up is run by whoever runs this.
    scripts = [block for block in blocks(page, "sh") if not re.match(r"make |pip ", block)]
    folders = [] if page.name == AS_INSTALLED else [warm]
    result = run("\n".join(["set -eu", *scripts]), tmp_path, *folders)
    assert result.returncode == 0, result.stderr


def test_one_page_has_its_commands_run_as_they_are_installed():
    found = [block for page in PAGES if page.name == AS_INSTALLED for block in blocks(page, "sh")]
    assert any("tally " in block for block in found)


@pytest.mark.parametrize(
    "script",
    [
        "tally --version > out; cat out",
        "tally nothing",
        "mkdir in; cd in; COLUMNS=50 tally info --help | head -5",
    ],
)
def test_the_warm_command_does_what_the_installed_one_does(script, warm, tmp_path):
    found = {}
    for name, folders in [("warm", [warm]), ("installed", [])]:
        (tmp_path / name).mkdir()
        result = run(script, tmp_path / name, *folders)
        found[name] = result.returncode, result.stdout, result.stderr
    assert found["warm"] == found["installed"]


def test_the_warm_command_reads_what_is_piped_and_tells_what_is_wrong(warm, tmp_path):
    script = "printf 'text,label\\nb\\n' | tally train - --format csv -o m.tally"
    result = run(script, tmp_path, warm)
    assert (result.returncode, result.stdout) == (1, "")
    assert "standard input, line 2: 1 fields" in result.stderr
