"""The pruning form: methods, parameters, rules and limits, built from what is declared.

No method is named here: a new method or parameter type appears by its declaration.
"""
