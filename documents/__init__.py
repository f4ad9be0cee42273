"""Files that people write, read one way by everyone: YAML as contracts, and what is wrong as one line."""
