"""Jobs of any size: tables of pairs to score, and the neighbours of every word; in processes, or on a cluster.

They stream to Parquet, and go on where they were after they were stopped.
"""

from entvec.bulk.neighbouring import neighbours
from entvec.bulk.pieces import Done, Progress
from entvec.bulk.scoring import score_table

__all__ = ["Done", "Progress", "neighbours", "score_table"]
