"""The version of the package, read by the build and recorded in every run."""

__version__ = "0.1.0"
