"""Hostile input: what it is made of, what it is given to, and what may come of it."""
