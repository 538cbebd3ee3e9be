"""Baselines: no language models, but they answer in text through the same path."""
