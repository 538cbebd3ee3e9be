"""Proofs of what no design in a box can reach: `certify` makes them, `verify` checks them with other code."""
