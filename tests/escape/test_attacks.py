from __future__ import annotations

import os

import attacks
import attacks_data
import attacks_deeper
import pytest

from runner import Sandbox

GROUPS = {
    "python": attacks.PYTHON,
    "javascript": attacks.JAVASCRIPT,
    "sql": attacks.SQL,
    "forgery": attacks.FORGERY,
    "resources": attacks.RESOURCES,
    "breakage": attacks.BREAKAGE,
    "output": attacks_data.OUTPUT,
    "data": attacks_data.DATA,
    "modules": attacks_deeper.MODULES,
    "memory": attacks_deeper.MEMORY,
    "requests": attacks_deeper.REQUESTS,
}
ALL = [pytest.param(attack, id=f"{group}-{attack.name}") for group, found in GROUPS.items() for attack in found]


def test_there_are_many() -> None:
    assert len(ALL) >= 200


def attack_it(sandbox: Sandbox, host: dict[str, str], attack: attacks.Attack) -> None:
    """The outcome is the exact one, and the next run works; that the host is untouched is asserted when all have
    run."""
    code = attack.code
    for name, text in host.items():
        code = code.replace(f"{{{name}}}", text)
    result = sandbox.run(code)
    assert result.status == attack.status, result.error
    if attack.holds is not None and result.status == "ok":
        assert result.value == attack.holds
    elif attack.holds is not None:
        assert result.error is not None
        assert str(attack.holds) in result.error.message
    assert (result.state == "lost") == (result.status in ("crashed", "protocol")) or result.status.endswith("limit")
    following = sandbox.run("1 + 1")
    assert (following.status, following.value) == ("ok", 2)


@pytest.mark.parametrize("attack", ALL)
def test_attack(victim: Sandbox, host: dict[str, str], attack: attacks.Attack) -> None:
    attack_it(victim, host, attack)


# Deno alone must hold too. A few of each group every time, all of them with ESCAPE_FULL=1 in the environment.
@pytest.mark.parametrize("attack", ALL if os.environ.get("ESCAPE_FULL") else ALL[::6])
def test_attack_on_deno_alone(deno_alone: Sandbox, host: dict[str, str], attack: attacks.Attack) -> None:
    attack_it(deno_alone, host, attack)


@pytest.mark.parametrize("attack", [pytest.param(attack, id=attack.name) for attack in attacks_deeper.IDS])
def test_ids_of_frames_stay_hidden(victim: Sandbox, attack: attacks.Attack) -> None:
    """Whoever knew them could end its own run for the host and go on."""
    result = victim.run(attack.code)
    assert (result.status, result.value) == (attack.status, attack.holds), result.error
    assert victim.run("1 + 1").value == 2
