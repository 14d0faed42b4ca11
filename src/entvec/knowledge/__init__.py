"""What is known: terms, their senses, and what holds between senses.

knowledge    Knowledge: terms, senses, is-a, instances, parts, marks and glosses, all in arrays
forms        a word in another spelling: case, hyphen, plural
storage      the file of a Knowledge, which is memory-mapped
"""

from entvec.knowledge.knowledge import PARTS_OF_SPEECH, Knowledge, Sense

__all__ = ["PARTS_OF_SPEECH", "Knowledge", "Sense"]
