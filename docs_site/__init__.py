"""What the documentation site needs beyond MkDocs: equations, docstrings, links, commands."""
