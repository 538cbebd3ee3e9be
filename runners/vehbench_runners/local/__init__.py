"""Open weights on this machine: vLLM in this process or as a server, and transformers alone."""
