"""What pytest leaves alone when it collects doctests."""

collect_ignore = ["docs/conf.py", "docs/_build"]
