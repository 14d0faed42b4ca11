"""Jobs of any size: score or relate a table of pairs, find the neighbours of every word, extract pairs from text; in
processes or on a cluster.

They write Parquet, and a job that was stopped goes on where it was.
"""

from entvec.bulk.evidence_files import merge_evidence
from entvec.bulk.extract_job import Extracted, extract
from entvec.bulk.jobs import Done, JobProgress
from entvec.bulk.neighbours_job import neighbours
from entvec.bulk.relation_job import relate_table
from entvec.bulk.score_job import score_table

__all__ = ["Done", "Extracted", "JobProgress", "extract", "merge_evidence", "neighbours", "relate_table", "score_table"]
