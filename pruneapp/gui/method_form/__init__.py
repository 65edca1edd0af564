"""The pruning form: methods, parameters, rules and limits, built from their declarations.

No method is mentioned by name: a new method or parameter type appears when it is declared.
"""
