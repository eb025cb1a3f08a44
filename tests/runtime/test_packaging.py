"""The metadata, workflows, image and wheel settings agree with each other and with the package."""

import os
import re
import subprocess
import sys
import tomllib
import unicodedata
from importlib.metadata import entry_points, metadata
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.oldest import oldest, run_time_requirements

import tallytext
from tallytext import _core
from tallytext.text.analysis import check_unicode_version

ROOT = Path(__file__).parents[2]
PACKAGE = Path(tallytext.__file__).parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]


def test_the_version_is_stated_once():
    assert metadata("tallytext")["Version"] == PROJECT["version"]
    stated = [
        path for path in PACKAGE.rglob("*.py") if PROJECT["version"] in path.read_text("utf-8")
    ]
    assert not stated


def test_the_command_is_installed_and_types_are_shipped():
    (command,) = entry_points(group="console_scripts", name="tally")
    assert callable(command.load())
    assert (PACKAGE / "py.typed").is_file()
    assert (PACKAGE / "_core.pyi").is_file()


def test_extras_that_messages_name_exist():
    named = {
        extra.strip()
        for path in (*PACKAGE.rglob("*.py"), *(ROOT / "docs").rglob("*.md"))
        for extras in re.findall(r"tallytext\[([a-z, ]+)\]", path.read_text("utf-8"))
        for extra in extras.split(",")
    }
    assert named
    assert named <= set(PROJECT["optional-dependencies"])


def test_each_dependency_has_a_lower_bound_that_can_be_tested():
    pins = list(oldest(run_time_requirements()))
    assert len(pins) == len(list(run_time_requirements()))
    assert all("==" in pin for pin in pins)
    assert list(oldest(["a[x]>=1.2,<3; sys_platform == 'win32'"])) == [
        "a==1.2; sys_platform == 'win32'"
    ]


def test_builds_with_and_without_isolation_use_the_same_tools():
    assert set(PYPROJECT["build-system"]["requires"]) <= set(
        PYPROJECT["dependency-groups"]["build"]
    )


def test_the_unicode_tables_are_those_of_this_python():
    assert _core.unicode_version() == unicodedata.unidata_version


def test_other_unicode_tables_are_refused_with_the_remedy():
    with pytest.raises(ImportError, match=r"Unicode 14\.0\.0.* Unicode 16\.0\.0.*pip install"):
        check_unicode_version("14.0.0", "16.0.0")


@pytest.mark.skipif(find_spec("cibuildwheel") is None, reason="needs cibuildwheel")
@pytest.mark.parametrize(
    ("platform", "arch", "systems"),
    [
        ("linux", "x86_64", {"manylinux_x86_64", "musllinux_x86_64"}),
        ("linux", "aarch64", {"manylinux_aarch64", "musllinux_aarch64"}),
        ("macos", "arm64", {"macosx_arm64"}),
        ("macos", "x86_64", {"macosx_x86_64"}),
        ("windows", "AMD64", {"win_amd64"}),
    ],
)
def test_wheels_are_built_for_each_python_and_system(platform, arch, systems):
    command = [sys.executable, "-m", "cibuildwheel", "--print-build-identifiers"]
    chosen = ["--platform", platform, "--archs", arch, str(ROOT)]
    listed = subprocess.run([*command, *chosen], capture_output=True, text=True, check=True).stdout
    pythons = ["cp311", "cp312", "cp313", "cp314", "cp314t"]
    assert set(listed.split()) == {f"{python}-{system}" for python in pythons for system in systems}


@pytest.mark.parametrize("name", ["ci.yml", "publish.yml"])
def test_workflows_are_valid_and_may_read_only(name):
    yaml = pytest.importorskip("yaml")
    text = (ROOT / ".github" / "workflows" / name).read_text("utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@(release/)?v\d+(\.\d+)?", action) for action in used)
    targets = {step["run"].split()[1] for step in steps if step.get("run", "").startswith("make ")}
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def test_the_workflow_tests_each_python_that_the_metadata_names():
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))
    named = {
        version
        for line in PROJECT["classifiers"]
        for version in re.findall(r"Python :: (3\.\d+)", line)
    }
    assert set(workflow["jobs"]["test"]["strategy"]["matrix"]["python"]) == named


def test_the_image_is_made_of_the_wheel_alone_and_runs_without_root():
    lines = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", "").splitlines()
    instructions = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    copied = [words for name, words in instructions if name == "COPY" and "--from" not in words]
    assert copied == ["dist/*.whl /wheels/"]
    ignored = (ROOT / ".dockerignore").read_text("utf-8").split()
    assert ignored == ["*", "!dist/*.whl"]
    names = [name for name, _ in instructions]
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert dict(instructions)["USER"] != "root"


@pytest.mark.skipif(os.name != "posix", reason="the image runs Linux")
def test_the_health_check_of_the_image_is_a_command_that_succeeds():
    dockerfile = (ROOT / "Dockerfile").read_text("utf-8")
    (program, option) = re.search(r'HEALTHCHECK .* CMD \["(\w+)", "(.*)"\]', dockerfile).groups()
    assert program == "tally"
    done = subprocess.run(
        [sys.executable, "-m", "tallytext", option], capture_output=True, text=True, check=True
    )
    assert PROJECT["version"] in done.stdout
