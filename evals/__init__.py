"""SimSup's instrument: cases, adapters, recording, grading, statistics. It knows nothing of any one system."""

__version__ = "0.1.0"
