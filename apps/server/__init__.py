"""Every method over HTTP, and the page that `errata serve` opens on."""
