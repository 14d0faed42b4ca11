"""Exact search on a device of PyTorch: a GPU, or the processor.

engine   `DeviceEngine`: the contract of a search, kept
maxima   the largest score of every few keys, never writing the scores themselves down; kernel, in Triton, for GPUs
"""
