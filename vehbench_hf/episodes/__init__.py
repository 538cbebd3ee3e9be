"""Episodes: one task from its opening messages to a record, without any I/O.

`episode.start()` gives the messages of the first call, `episode.receive(reply)` the messages of the next one or None
when the episode is over. An API client, a local model, a baseline and the replay of a log drive the same object.
"""

from vehbench_hf.episodes.episode import Episode, begin_episode

__all__ = ["Episode", "begin_episode"]
