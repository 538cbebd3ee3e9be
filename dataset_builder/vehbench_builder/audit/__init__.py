"""`vehbench audit`: every statement about a bank, checked again from its rows alone.

Nothing of a build is trusted: designs are judged by the oracle, certificates verified by code that did not search them,
and where a bank stores neither witness nor certificate the audit searches itself. Start with
`all_checks`. `rows` and `text` are about any bank; the checks of a domain stand in its own folder.
"""
