"""Vibration energy harvesters: the cantilever model, verdicts, proofs, optimizer. Start with `cantilever`."""
