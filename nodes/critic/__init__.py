"""CRITIC's steps: critiques with tools, and the corrections that follow from them."""
