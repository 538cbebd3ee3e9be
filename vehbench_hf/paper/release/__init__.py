"""The authors' release, read from a folder the user has: task banks, reference powers, run logs.

Nothing of the release is part of this package. Start with `importer.import_release`.
"""
