"""The command `completion` as cyclopts sees it. See `app`."""

from __future__ import annotations

from typing import Literal

from bench.cli.reply import Reply

COMPLETION_EXAMPLES = """\
Examples:
  bench-analyze completion bash > ~/.local/share/bash-completion/completions/bench-analyze
  bench-analyze completion zsh > ~/.zfunc/_bench-analyze
  bench-analyze completion fish > ~/.config/fish/completions/bench-analyze.fish
"""


def completion(shell: Literal["bash", "zsh", "fish", "powershell"], /) -> Reply:
    """Print the script by which a shell completes commands and options.

    Parameters
    ----------
    shell
        bash, zsh, fish or powershell.
    """
    from bench.cli.app import app  # noqa: PLC0415 - the application that this command belongs to

    return Reply(text=app.generate_completion(prog_name="bench-analyze", shell=shell).rstrip())
