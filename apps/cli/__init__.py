"""What the command line prints, asks and exits with; the commands are in `commands`."""
