"""What the methods take: measured against a loopback server, beside the package and not a part of it."""
