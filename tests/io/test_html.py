"""Pages and drawings load nothing, run no script of others, and hold no forbidden character."""

import os
import re
import shutil
from xml.etree import ElementTree

import pytest

import browser
from tallytext.io.html import html_page, is_report_page
from tallytext.io.report_page import report_page
from tallytext.io.svg import svg_drawing, text

MISSING = not (os.name == "posix" and shutil.which("bash") and browser.find_browser())
FORBIDDEN = "\x00\x08\x0b\x0c\x1b\x7f\x9b\ud800\ufffe\uffff"


@pytest.mark.parametrize("script", ["", "document.title = 'ours'"])
def test_a_page_has_a_policy_that_allows_its_own_script_only(script, tmp_path):
    page = html_page("Sea", "<p>wave</p>", "p { color: red }", script)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; ")
    assert "script-src" in policy if script else "script-src" not in policy
    assert "unsafe-inline" not in policy.replace("style-src 'unsafe-inline'", "")
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    assert is_report_page(tmp_path / "page.html")


@pytest.mark.skipif(MISSING, reason="there is no browser")
def test_a_browser_runs_the_script_of_a_page_and_no_other(tmp_path):
    path = tmp_path / "page.html"
    attack = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
    page = html_page("Sea", attack, script="window.ours = 1")
    path.write_text(page, encoding="utf-8")
    check = "if (!window.ours || window.hacked) { throw new Error('hacked') }"
    found = browser.faults(path.as_uri(), check=check)
    assert "Executing inline script violates" in found[0]
    assert not [each for each in found if "hacked" in each and "Policy" not in each]


def test_forbidden_characters_are_replaced_in_pages_and_drawings():
    drawing = svg_drawing([text(FORBIDDEN)], 9, 1, FORBIDDEN)
    pages = [
        html_page(FORBIDDEN, FORBIDDEN),
        report_page(FORBIDDEN, FORBIDDEN, [("a", "Waves", FORBIDDEN)], {"file": FORBIDDEN}),
        drawing,
    ]
    for page in pages:
        page.encode()
        assert not {*page} & {*FORBIDDEN}
        assert page.count("\ufffd" * len(FORBIDDEN)) >= 2
    ElementTree.fromstring(drawing)
