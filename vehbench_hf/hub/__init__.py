"""The Hub: what is published under which name, submissions, and checking a published result by computing it again."""
