"""What pytest leaves alone when it collects doctests."""

from importlib.util import find_spec

collect_ignore = ["docs/conf.py", "docs/_build"]
if find_spec("triton") is None:  # PyTorch brings it along where there may be a GPU
    collect_ignore.append("src/entvec/search/device/kernel.py")
for _database, _packages in {"postgres": ("psycopg", "pgvector"), "milvus": ("pymilvus",)}.items():
    if any(find_spec(package) is None for package in _packages):  # each database imports its packages at once
        collect_ignore += [f"src/entvec/stores/{_database}", f"tests/stores/test_{_database}.py"]
