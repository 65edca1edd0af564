"""The report of an export as a file: what was done to a model, for people and for programs."""

from pruneapp.export.account.account import Account, TensorAccount, account_of
from pruneapp.export.account.writing import KINDS, write_account

__all__ = ["KINDS", "Account", "TensorAccount", "account_of", "write_account"]
