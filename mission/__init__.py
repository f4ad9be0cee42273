"""The built-in system under test: a Mars base, its tools and its crew."""
