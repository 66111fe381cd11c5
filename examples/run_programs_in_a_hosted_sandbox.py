"""Let a hosted sandbox run the programs. The tool here is a stand-in: a second Python, which shows what it prints."""

import subprocess
import sys

from langchain_core.tools import tool

from errata.graphs import critic_program


@tool
def exec_python(code: str) -> str:
    """Run Python code, and return what it prints."""
    # A real one: langchain_community.tools.riza.command.ExecPython(), with a key in RIZA_API_KEY.
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=60)
    return ran.stdout + ran.stderr


program = "import statistics\nanswer = statistics.median([3, 1, 2])"
given = {"question": "What is the median of 3, 1 and 2?", "text": program}
context = {"python": exec_python, "rounds": 0}
result = critic_program.graph.invoke(given, context=context)
print(result["answer"], "|", result["evidence"][0]["source"])

# Prints:
# 2 | python:exec_python
