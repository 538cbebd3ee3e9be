"""What concerns the authors' release and the tables of their paper, and nothing else."""
