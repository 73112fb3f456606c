"""The commands, one per file: each parses, calls the library, and prints."""
