"""Task banks on disk. Start with `open_bank`."""

from vehbench_hf.bank.bank import DEFAULT_BANK, Bank, open_bank

__all__ = ["DEFAULT_BANK", "Bank", "open_bank"]
