from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner import ProtocolError, ResourceLimits
from runner.frames import Decoder, encode
from runner.messages import Answer, ArtifactFile, Attached, Event, Output, Ready
from runner.protocol import Protocol, State

ANSWER = {"status": "ok", "value": 2, "error": None, "artifacts": 0, "reads": [], "warnings": []}


def frame(payload: bytes = b"", **header: object) -> bytes:
    return encode(header, len(payload)) + payload


def reply(kind: str, sequence: int, payload: bytes = b"", **more: object) -> bytes:
    return frame(payload, type=kind, generation="g", request="r", sequence=sequence, **more)


def result(sequence: int, **changes: object) -> bytes:
    return reply("result", sequence, json.dumps({**ANSWER, **changes}).encode(), intact=True)


def running(limits: ResourceLimits | None = None) -> Protocol:
    protocol = Protocol("g", limits or ResourceLimits())
    protocol.start(eager=False)
    assert list(protocol.receive(frame(type="ready", generation="g"))) == [Ready()]
    protocol.run("r", "1 + 1", soft_deadline_ms=1000)
    return protocol


def test_a_conversation() -> None:
    protocol = running()
    said = reply("output", 0, b"hi\n", stream="stdout")
    assert list(protocol.receive(said + result(1))) == [Output("stdout", b"hi\n"), Answer("ok", 2, None, (), (), 0)]
    assert protocol.state is State.IDLE
    protocol.attach("r", 3)
    assert list(protocol.receive(reply("attached", 0))) == [Attached()]


@given(st.lists(st.integers(1, 40), max_size=30))
def test_events_do_not_depend_on_the_chunks(cuts: list[int]) -> None:
    data = reply("output", 0, "µV ".encode() * 9, stream="stderr") + reply(
        "artifact", 1, b"x", name="a.csv", media="text/csv"
    )
    data += result(2, artifacts=1)
    protocol, events, at = running(), list[Event](), 0
    for size in [*cuts, len(data)]:
        events += protocol.receive(data[at : at + size])
        at += size
    assert events == [
        Output("stderr", "µV ".encode() * 9),
        ArtifactFile("a.csv", "text/csv", b"x"),
        Answer("ok", 2, None, (), (), 1),
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (result(1), "message 1 in the place of 0"),
        (reply("output", True, b"x", stream="stdout"), "message True"),
        (frame(type="result", generation="other", request="r", sequence=0), "another process"),
        (frame(type="result", generation="g", request="other", sequence=0), "another request"),
        (frame(type="ready", generation="g"), "'ready' in the state running"),
        (reply("attached", 0), "'attached' in the state running"),
        (reply("output", 0, b"x", stream="stdin"), "stream 'stdin'"),
        (reply("artifact", 0, b"x", name="../x", media="text/plain"), "an artifact's name '../x'"),
        (reply("artifact", 0, b"x", name="/etc/x", media="text/plain"), "an artifact's name '/etc/x'"),
        (reply("artifact", 0, b"x", name="a\x1b[31m", media="text/plain"), "an artifact's name"),
        (result(0, status="great"), "the status 'great'"),
        (result(0, artifacts=1), "0 artifacts came, the answer counts 1"),
        (result(0, error={"type": "E", "message": "m", "traceback": None}), "status ok with an error"),
        (result(0, status="error"), "status error without an error"),
        (result(0, more=1), "an answer with the fields"),
        (result(0, reads=[{"table": "t"}]), "reads of another shape"),
        (reply("result", 0, json.dumps(ANSWER).encode(), intact="yes"), "an answer that is intact: 'yes'"),
        (reply("result", 0, json.dumps(ANSWER).encode()), "a message result with the fields"),
        (reply("result", 0, b"[" * 200_000, intact=True), "not a JSON object: RecursionError"),
        (reply("result", 0, b'{"value": NaN}', intact=True), "not a JSON object: ValueError"),
        (reply("result", 0, b"[]", intact=True), "a JSON list in the place of an object"),
        (b"\xff" * 8, "a frame of 4294967295 bytes"),
        (b"\0\0\0\4\0\0\0\x10", "a frame of 4 bytes with a header of 16"),
        (result(0) + b"x", "bytes after the answer"),
        (result(0) + result(1), "'result' in the state idle"),
        (reply("output", 0, b"", stream="stdout"), "an output of nothing"),
        (reply("output", 0, b"x", stream="stdout", more=1), "a message output with the fields"),
        (reply("execute", 0), "'execute' in the state running"),
        (reply("result", 0, json.dumps(ANSWER).replace("2", "1e999", 1).encode(), intact=True), "no plain data"),
        (result(0, value="\ud800"), "no plain data"),
        (result(0, value={"\ud800": 1}), "no plain data"),
        (result(0, value=json.loads("[" * 70 + "]" * 70)), "nested deeper than 64"),
        (result(0, value="x" * 1_000_000), "a value of more than 1000000 bytes"),
        (result(0, warnings=["x" * 4_000_000]), "an answer of 40000"),
    ],
)
def test_the_first_anomaly_breaks_the_protocol_for_good(data: bytes, message: str) -> None:
    protocol = running()
    with pytest.raises(ProtocolError, match=message.replace("[", r"\[")):
        list(protocol.receive(data))
    assert protocol.state is State.BROKEN
    with pytest.raises(ProtocolError, match="broken before"):
        list(protocol.receive(b""))


def test_output_is_bounded_in_sum() -> None:
    protocol = running(ResourceLimits(output_bytes=10))
    list(protocol.receive(reply("output", 0, b"x" * 10, stream="stdout")))
    with pytest.raises(ProtocolError, match="output of more than 10 bytes"):
        list(protocol.receive(reply("output", 1, b"x", stream="stdout")))


def test_a_frame_above_the_cap_is_refused_before_its_bytes_are_kept() -> None:
    decoder = Decoder(1000)
    with pytest.raises(ProtocolError, match="a frame of 1001 bytes"):
        list(decoder.feed(b"\0\0\3\xe9\0\0\0\2"))


@given(st.binary(max_size=200))
def test_any_bytes_are_events_or_an_anomaly(data: bytes) -> None:
    protocol = running()
    try:
        list(protocol.receive(data))
    except ProtocolError:
        assert protocol.state is State.BROKEN
