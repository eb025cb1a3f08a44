"""A browser without a window, to open pages with: what goes wrong in them is told.

Chromium is spoken to by its own protocol through a pair of pipes, so that nothing else is needed.
"""

import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
from time import monotonic

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 120.0


def find_browser():
    """Return the path of a browser, None if there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def faults(page, path=None, check=""):
    """Open a page (its address) and return what went wrong: errors, and what it could not load.

    Anything that it asks for from elsewhere is a fault, too, whether it is there or not, and so is
    a dialog. Errors of ``check``, JavaScript to run in the page once it is there, are its faults.
    """
    with _Browser(path or find_browser()) as browser:
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            browser.ask(f"{domain}.enable", session)
        browser.ask("Page.navigate", session, url=page)
        browser.wait_for("Page.loadEventFired")
        # What comes after the load: details are opened, and pictures decoded.
        opened = "document.querySelectorAll('details').forEach(each => each.open = true); 7"
        assert browser.ask("Runtime.evaluate", session, expression=opened)["result"]["value"] == 7
        browser.ask("Page.captureScreenshot", session)
        checked = browser.ask("Runtime.evaluate", session, expression=check)
        browser.events.append({"method": "Runtime.exceptionThrown", "params": checked})
        return [fault for event in browser.events if (fault := _fault(event, page))]


def _fault(event, page):
    method, given = event.get("method"), event.get("params", {})
    if method == "Runtime.exceptionThrown" and "exceptionDetails" in given:
        return given["exceptionDetails"].get("exception", {}).get("description", "exception")
    if method == "Page.javascriptDialogOpening":
        return f"{given['type']}: {given['message']}"
    if method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
        return f"console: {given['args']}"
    if method == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
        return f"log: {given['entry']['text']}"
    if method == "Network.loadingFailed":
        return f"failed: {given['errorText']}"
    if method == "Network.requestWillBeSent":
        url = given["request"]["url"]
        return None if url.split("#")[0] == page or url.startswith("data:") else f"asked for {url}"
    return None


class _Browser:
    """One process, with a folder of its own that is removed at the end."""

    def __init__(self, path):
        self._path, self.events, self._number, self._unread = path, [], 0, b""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        reading, self._writer = os.pipe()
        self._reader, writing = os.pipe()
        options = [
            *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
            *("--disable-background-networking", "--no-first-run", "--remote-debugging-pipe"),
            f"--user-data-dir={self._folder.name}",
        ]
        # Chromium reads from 3 and writes to 4.
        pipes = f'exec 3<&{reading} 4>&{writing}; exec "$0" "$@"'
        self._process = subprocess.Popen(
            ["bash", "-c", pipes, self._path, *options],
            pass_fds=(reading, writing),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(reading)
        os.close(writing)
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError, AssertionError):
            self.ask("Browser.close")
        os.close(self._writer)
        os.close(self._reader)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def ask(self, method, session=None, **parameters):
        """Send a command and return its result."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        command |= {"sessionId": session} if session else {}
        os.write(self._writer, json.dumps(command).encode() + b"\0")
        answer = self._until(lambda message: message.get("id") == self._number)
        assert "error" not in answer, answer
        return answer["result"]

    def wait_for(self, method):
        """Read until an event comes, unless it was there before."""
        if not any(event.get("method") == method for event in self.events):
            self._until(lambda message: message.get("method") == method)

    def _until(self, is_it):
        end = monotonic() + PATIENCE
        while True:
            while b"\0" not in self._unread:
                ready, _, _ = select.select([self._reader], [], [], max(end - monotonic(), 0))
                assert ready, f"the browser said nothing for {PATIENCE} s"
                more = os.read(self._reader, 1 << 16)
                assert more, "the browser has ended"
                self._unread += more
            raw, _, self._unread = self._unread.partition(b"\0")
            message = json.loads(raw)
            if "id" not in message:
                self.events.append(message)
            if message.get("method") == "Page.javascriptDialogOpening":
                # The page waits for an answer; nobody waits for the answer to this command.
                close = {"id": -1, "method": "Page.handleJavaScriptDialog"}
                close |= {"params": {"accept": False}, "sessionId": message["sessionId"]}
                os.write(self._writer, json.dumps(close).encode() + b"\0")
            if is_it(message):
                return message
