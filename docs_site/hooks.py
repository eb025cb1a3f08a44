"""What MkDocs calls while it builds the site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs_site.commands import with_commands
from docs_site.links import OUTSIDE, for_site

ROOT = Path(__file__).parents[1]


def on_files(files: Files, config: MkDocsConfig, **_: Any) -> Files:
    """Give the pages beside the folder of pages a place in the site.

    Parameters
    ----------
    files : Files
        The files of the site, which are added to.
    config : MkDocsConfig
        The settings of the site.
    """
    for name, place in OUTSIDE.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Change links to what the site has, and list the commands where they are asked for.

    Parameters
    ----------
    markdown : str
        The page as it is written.
    page : Page
        The page.
    """
    path = Path(page.file.abs_src_path).relative_to(ROOT).as_posix()
    return with_commands(for_site(markdown, path))
