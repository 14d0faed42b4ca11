"""Measuring: the paper's figures, and how far its approximations hold.

gradients    Figure 1: which interpretation of Word2Vec vectors explains its training
meanfield    how far mean-field inference is from the exact posterior
"""
