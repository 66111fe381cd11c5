"""All benchmarks, each in a process of its own, one after another.

In each a loopback server stands in for models and web, where everything takes 100 ms: what goes beyond the waits that a
method needs is our own.
"""

import json
import subprocess
import sys

import click

BENCHMARKS = ("rarr", "critic", "verify_and_edit", "refchecker", "augmenter")


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice(BENCHMARKS))
@click.option("--json", "as_json", is_flag=True, help="Print the figures of each as one JSON object.")
def main(names: tuple[str, ...], as_json: bool) -> None:
    """Run those that are named, or all."""
    found = {}
    for name in names or BENCHMARKS:
        command = [sys.executable, "-m", f"errata.evals.bench_{name}"]
        if as_json:
            done = subprocess.run([*command, "--json"], check=True, capture_output=True, text=True)
            found[name] = json.loads(done.stdout)
        else:
            subprocess.run(command, check=True)
    if as_json:
        click.echo(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
