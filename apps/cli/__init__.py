"""The output, prompts and exit codes of the command line; the commands are in `commands`."""
