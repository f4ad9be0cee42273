"""The physics of the Mars base: exact between events, rebuilt from scenario, seed and command log."""
