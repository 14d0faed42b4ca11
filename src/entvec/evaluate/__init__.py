"""Measuring: the paper's figures, and how far its approximations hold.

benchmark    labelled pairs of words, and the files they come in
detection    how well operators detect entailments, beside baselines that never look at a pair
metrics      the measures of the paper and of the benchmarks
gradients    Figure 1: which interpretation of Word2Vec vectors explains its training
meanfield    how far mean-field inference is from the exact posterior
"""
