"""What several runs say together: comparison, routing, profiles, the paper's experiments. No model is called."""
