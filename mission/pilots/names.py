"""The pilots there are."""

NAMES = ("expert", "trusting", "null")
