"""One module a scope: what is live, what is frozen, and how it runs."""
