"""`openai/NAME`: any OpenAI-compatible endpoint. Start with `api`."""
