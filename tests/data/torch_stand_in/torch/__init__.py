"""Stands for PyTorch in a test; only what builds extensions is there."""
