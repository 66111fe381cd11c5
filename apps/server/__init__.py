"""Every method over HTTP, and the page of `errata serve`."""
