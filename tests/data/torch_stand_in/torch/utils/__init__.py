"""Stands for PyTorch in a test."""
