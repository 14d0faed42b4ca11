"""Jobs of any size: score or relate a table of pairs, find the neighbours of every word, extract pairs from text; in
processes or on a cluster.

They write Parquet, and a job that was stopped goes on where it was.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from entvec.bulk.jobs import Done, JobProgress

if TYPE_CHECKING:
    from entvec.bulk.evidence_files import merge_evidence
    from entvec.bulk.extract_job import Extracted, extract
    from entvec.bulk.neighbours_job import neighbours
    from entvec.bulk.relation_job import relate_table
    from entvec.bulk.score_job import score_table

__all__ = ["Done", "Extracted", "JobProgress", "extract", "merge_evidence", "neighbours", "relate_table", "score_table"]

MODULES = {
    "Extracted": "extract_job",
    "extract": "extract_job",
    "merge_evidence": "evidence_files",
    "neighbours": "neighbours_job",
    "relate_table": "relation_job",
    "score_table": "score_job",
}


def __getattr__(name: str) -> Any:
    """Import a job on first use: each process of a job would wait for the imports of all others."""
    if name not in MODULES:
        raise AttributeError(f"module 'entvec.bulk' has no attribute {name!r}")
    return getattr(import_module(f"entvec.bulk.{MODULES[name]}"), name)
