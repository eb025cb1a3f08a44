"""What the reproductions of papers share: parts, results that are kept, verdicts, pages."""
