"""Measuring: the paper's figures, and how far its approximations hold.

benchmark    labelled pairs of words, and the files they come in
metrics      the measures of the paper and of the benchmarks
detection    how well operators detect entailments, beside baselines that compare no vectors
mapped       the same for learned maps, on words that they have not seen
discovery    how well a space finds hypernyms among all nouns
specificity  how much general words should lose when it does
taxonomy     how well taxonomies are built, extended, named and audited
paper        what the paper reports
reproduction the paper's experiments, run again; report writes them down
gradients    Figure 1: which interpretation of Word2Vec vectors explains its training
meanfield    how far mean-field inference is from the exact posterior
"""
