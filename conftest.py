"""What pytest leaves alone when it collects doctests."""

from importlib.util import find_spec

collect_ignore = ["docs/conf.py", "docs/_build"]
if find_spec("triton") is None:  # PyTorch brings it along where there may be a GPU
    collect_ignore.append("src/entvec/search/device/kernel.py")
