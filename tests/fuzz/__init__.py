"""Commands that try generated and spoiled input for as long as one likes; see `make fuzz` and each module."""
