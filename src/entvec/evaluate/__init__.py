"""Measuring: benchmarks, metrics, the paper's tables and figures.

benchmark          labelled pairs of words, and their files
metrics            the measures of the paper and of the benchmarks, with confidence intervals
detection          how well operators detect entailments, beside baselines that compare no vectors
learned_maps       the same for learned maps, on words that they have not seen
text_rows          what texts alone tell, without a map or a label
discovery          how well a space ranks hypernyms among all nouns
taxonomy           how well taxonomies are built, extended, named and audited
paper              the numbers that the paper reports
reproduction       the paper's experiments, run again
report             the reproduction as files: JSON, Markdown, HTML
gradients          Figure 1: which interpretation of Word2Vec vectors explains its training
meanfield_error    how far mean-field inference is from the exact posterior
specificity_curve  how well hypernyms are ranked under each specificity
plotting           matplotlib figures (internal)

Import the modules by name, as in `from entvec.evaluate import detection`.
"""

__all__ = [
    "benchmark", "detection", "discovery", "gradients", "learned_maps", "meanfield_error", "metrics", "paper",
    "report", "reproduction", "specificity_curve", "taxonomy", "text_rows",
]  # fmt: skip
