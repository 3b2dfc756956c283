"""A snippet that breaks the interpreter under the next one: undone, or the process is replaced and the result says so."""

# ruff: noqa: E501 (a snippet in one line reads better than one cut in pieces)
from __future__ import annotations

import pytest

from runner import Sandbox

JS = "from pyodide_js import runPython as f\n_ = f.constructor({!r})()"

PROBE = """
import json, sys, datetime, pathlib
print('µ')
print('e', file=sys.stderr)
pathlib.Path('/out/a.txt').write_text('x')
chart({'mark': 'point'})
sys.modules.pop('colorsys', None)
import colorsys
assert len(str(10 ** 2000)) == 2001
assert isinstance(con, object) and len([1]) == 1 and input is not None
def fails():
    return 1 / 0
try:
    fails()
except ZeroDivisionError:
    caught = True
[con.sql('select count(*), max(value_v) from retest').fetchone(), con.execute('select ?', [datetime.date(2026, 1, 2)]).fetchone(),
 json.loads(json.dumps([caught, None])), 1.5, b'x']
"""

UNDONE = {
    "stdout is None": "import sys\nsys.stdout = None",
    "stdout is closed": "import sys\nsys.stdout.close()",
    "stdout goes to a text": "import sys, io\nsys.stdout = sys.__stdout__ = io.StringIO()",
    "stderr deleted": "import sys\ndel sys.stderr",
    "descriptors closed": "import os\nos.close(1)\nos.close(2)",
    "a builtin deleted": "import builtins\ndel builtins.print",
    "builtins of the namespace": "__builtins__ = {}",
    "the import statement": "import builtins\nbuiltins.__import__ = None",
    "json.dumps": "import json\njson.dumps = None",
    "json's encoder": "import json\njson.JSONEncoder.iterencode = None",
    "json removed": "import sys\ndel sys.modules['json']",
    "a false json": "import sys\nsys.modules['json'] = object()",
    "all modules removed": "import sys\nfor n in list(sys.modules): sys.modules.pop(n)",
    "no finders": "import sys\nsys.meta_path.clear()\nsys.path.clear()\nsys.path_hooks.clear()",
    "ast.parse": "import ast\nast.parse = None\nimport traceback\ntraceback.TracebackException = None",
    "datetime": "import datetime\ndatetime.datetime = datetime.date = int",
    "time": "import time\ntime.monotonic = time.time = lambda: -1",
    "our session": "import bench_sandbox.session as s\ns.Session.run = s.Session._execute = s.Session._begin = None",
    "our values": "import bench_sandbox.values as v\nv.as_json = v.plain = lambda *a: 'true'",
    "our connection": "import bench_sandbox.engine as e\ne.Connection.sql = e.Connection.execute = e.Engine.run = None",
    "our failures": "import bench_sandbox.failures as m\nm.outcome = None\n1 / 0",
    "our artifacts": "import bench_sandbox.artifacts as a\na.collect = lambda *a: []",
    "the duckdb module": "import duckdb\nduckdb.sql = duckdb.default_connection = None",
    "the recursion limit": "import sys\nsys.setrecursionlimit(60)",
    "a profile function": "import sys\nsys.setprofile(lambda *a: 1 / 0)",
    "no garbage collection": "import gc\ngc.disable()\ngc.set_threshold(0)",
    "digits of integers": "import sys\nsys.set_int_max_str_digits(640)\nkept_digits = 1",
    "callbacks of the garbage collector": "import gc\ngc.callbacks.append(lambda *a: print('boo'))\ngc.collect(0)",
    "finders that find nothing": "import sys\nfor n in list(sys.path_importer_cache): sys.path_importer_cache[n] = None\nsys.path_importer_cache['/lib/other'] = None",
    "a tool that watches": "import sys\nm = sys.monitoring\nm.use_tool_id(3, 'x')\nm.register_callback(3, m.events.LINE, lambda c, n: print('boo') if n == 2 else None)\nm.set_events(3, m.events.LINE)",
    "a context of decimals": "import decimal\ndecimal.setcontext(decimal.Context(prec=30))",
    "the interrupt's handler": "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)",
    "no /out": "import os\nos.rmdir('/out')",
    "/out is a file": "import os\nos.rmdir('/out')\nopen('/out', 'w').write('x')",
    "/out is a link": "import os\nos.rmdir('/out')\nos.symlink('/nowhere', '/out')",
    "con is gone": "del con",
    "globals cleared": "globals().clear()\nkept = 41",
    "working directory": "import os\nos.mkdir('/gone')\nos.chdir('/gone')\nos.rmdir('/gone')",
    "an open transaction": "con.execute('begin')",
    "an aborted transaction": "con.execute('begin')\ncon.execute('create table t as select 1')\ntry:\n    con.execute('selec')\nexcept Exception: pass",
    "a value that breaks json when it is shown": "class M(type):\n    def __eq__(self, other): return True\n    def __hash__(self): return 1\nclass V(metaclass=M):\n    def __repr__(self):\n        import json\n        json.dumps = json.loads = None\n        return 'x'\nV()",
    "a value in a list that breaks json": "class M(type):\n    def __eq__(self, other): return True\n    def __hash__(self): return 1\nclass V(metaclass=M):\n    def __repr__(self):\n        import json\n        json.dumps = json.loads = None\n        return 'x'\n[1, {'a': V()}]",
    "an integer of its own": "class I(int):\n    def bit_length(self):\n        import json\n        json.dumps = json.loads = None\n        return 1\nI(1)",
    "a chart's text": "class S(str):\n    def encode(self, *a):\n        import json\n        json.dumps = json.loads = None\n        return b'{}'\nchart(S('{}'))\n1",
    "a stream that patches as it goes": "import sys\nclass E:\n    def write(self, t): return len(t)\n    def flush(self): pass\n    def __del__(self):\n        import json\n        json.dumps = json.loads = None\nsys.stdout = E()\n1",
    "a stream that comes back": "import sys\nclass Q:\n    def write(self, t): return len(t)\n    def flush(self): pass\nclass E(Q):\n    def __del__(self): sys.stdout = Q()\nsys.stdout = E()\n1",
    "a stream that comes back twice": "import sys\nclass Q:\n    def write(self, t): return len(t)\n    def flush(self): pass\nclass D(Q):\n    def __del__(self): sys.stdout = Q()\nclass E(Q):\n    def __del__(self): sys.stdout = D()\nsys.stdout = E()\n1",
    "a callback on the stream": "import sys, weakref, json\ndef tidy(_):\n    json.dumps = json.loads = None\nw = weakref.ref(sys.stdout, tidy)\n1",
    "a finder that patches as it goes": "import sys\nclass E:\n    def find_spec(self, *a): return None\n    def __del__(self):\n        import json\n        json.dumps = json.loads = None\nsys.meta_path.append(E())\n1",
    "a module that patches as it goes": "import sys, json\nclass E:\n    def __del__(self):\n        json.dumps = json.loads = None\nsys.modules['random'] = E()\n1",
    "a private name that patches as it goes": "import json\nclass E:\n    def __del__(self):\n        json.dumps = json.loads = None\njson._default_encoder = E()\n1",
    "a stream that encodes otherwise": "import sys\nsys.stdout.reconfigure(encoding='ascii', errors='strict')\n1",
    "a stream with a method of its own": "import sys\nsys.stdout.buffer.write = lambda b: len(b)\n1",
    "a list that is asked whose it is": "from collections.abc import Mapping\nfrom abc import ABCMeta\nimport numbers, json\nclass Me(ABCMeta):\n    def __subclasscheck__(cls, sub):\n        if armed: json.dumps = json.loads = None\n        return False\narmed = []\nclass M(Mapping, metaclass=Me):\n    __getitem__ = __iter__ = __len__ = None\nnumbers.Number.register(type('Q', (), {}))\narmed.append(1)\n[1]",
    "limits and units": "limits.clear()\nunits.clear()\ndel units\n1",
    "a precision of decimals": "import decimal\ndecimal.getcontext().prec = 2\n1",
    "a closed folder of files": "import os\nos.chmod('/out', 0)",
    "folders and links among the files": "import os\nos.mkdir('/out/a.txt')\nos.symlink('/tmp', '/out/b')",
    "a transaction that an error aborts": "con.begin()\ntry: con.sql(\"select error('x')\").fetchall()\nexcept Exception: pass",
    "a transaction behind a comment": "con.execute('--x\\rbegin')\ntry: con.sql(\"select error('x')\").fetchall()\nexcept Exception: pass",
    "no optimiser": "con.execute('pragma disable_optimizer')",
    "a list that passes for a mapping": "from collections.abc import Mapping\nMapping.register(list)",
    "a warning filter": "import warnings\nwarnings.simplefilter('error')",
}  # fmt: skip

REPLACED = {
    "all builtins cleared": "import builtins\nbuiltins.__dict__.clear()",
    "isinstance replaced": "import builtins\nbuiltins.isinstance = lambda *a: 1 / 0",
    "a trace function": "import sys\nsys.settrace(lambda *a: 1 / 0)",
    "detached": "con.execute('use memory')\ncon.execute('detach analysis')",
    "detached behind a comment": "con.execute('use memory')\ncon.execute('--x\\rdetach analysis')",
    "another search path": "con.execute('use memory')",
    "the library removed": "import os, bench_sandbox.integrity as i\nos.remove(i.LIBRARY)",
    "the library cut short": "import bench_sandbox.integrity as i\nopen(i.LIBRARY, 'wb').close()",
    "a method of str": "import gc\ngc.get_referents(str.__dict__)[0]['upper'] = lambda s: 'x'",
    "a method of int": "import gc\ngc.get_referents(int.__dict__)[0]['bit_length'] = lambda s: 1",
    "an integer that is another": "import ctypes\nctypes.memmove(id(7) + 12, id(8) + 12, 4)",
    "an audit hook": "import sys\narmed = []\nsys.addaudithook(lambda e, a: 1 / 0 if armed and e == 'compile' else None)\narmed.append(1)",
    "JSON.stringify": JS.format("const s = JSON.stringify; JSON.stringify = (...a) => s(...a); return 1"),
    "JSON.parse": JS.format("JSON.parse = () => ({}); return 1"),
    "Array.prototype": JS.format("Array.prototype.push = function () { return 0; }; return 1"),
    "TextEncoder": JS.format("TextEncoder.prototype.encode = (t) => new Uint8Array(3); return 1"),
    "Uint8Array": JS.format("globalThis.Uint8Array = class {}; return 1"),
    "a getter on Object.prototype": JS.format("Object.defineProperty(Object.prototype, 'type', { get: () => 'run', configurable: true }); return 1"),
    "a setter on Object.prototype": JS.format("Object.defineProperty(Object.prototype, 'request', { set() {}, configurable: true }); return 1"),
    "writeSync": JS.format("Deno.stdout.writeSync = () => 1e9; return 1"),
    "performance.now": JS.format("performance.now = () => 0; return 1"),
    "Pyodide's own functions": "import pyodide_js\npyodide_js.runPython = 1",
}  # fmt: skip


def follows(sandbox: Sandbox) -> None:
    """Assert that a run finds everything where it belongs."""
    result = sandbox.run(PROBE)
    assert result.status == "ok", result.error
    assert result.value == [[3, 4.98], ["2026-01-02"], [True, None], 1.5, "eA=="]
    assert (result.stdout, result.stderr) == ("µ\n", "e\n")
    assert [artifact.name for artifact in result.artifacts] == ["chart-1.vl.json", "a.txt"]
    assert result.reads == ({"table": "retest", "column": "value_v"},)
    failed = sandbox.run("1 / 0")
    assert failed.error is not None
    assert failed.error.message == "division by zero"
    assert str(failed.error.traceback).endswith("ZeroDivisionError: division by zero")


@pytest.mark.parametrize("code", UNDONE.values(), ids=UNDONE)
def test_what_can_be_undone_is_and_the_variables_stay(victim: Sandbox, code: str) -> None:
    result = victim.run(f"kept = 41\n{code}")
    assert result.state == "kept", result
    follows(victim)
    assert victim.run("kept").value == 41


@pytest.mark.parametrize("code", REPLACED.values(), ids=REPLACED)
def test_what_cannot_be_undone_loses_the_process_and_says_so(victim: Sandbox, code: str) -> None:
    result = victim.run(f"kept = 41\n{code}")
    assert result.state == "lost", result
    assert result.status != "ok" or any("gets a new process" in text for text in result.warnings), result
    follows(victim)
    assert victim.run("'kept' in globals()").value is False


def test_changes_that_were_undone_are_named(victim: Sandbox) -> None:
    result = victim.run("import json, builtins\njson.dumps = None\nbuiltins.len = None\n1")
    assert result.value == 1
    assert result.warnings == ("undone after the run, so that the next one works: changes to builtins.len, json.dumps",)


def test_what_ends_the_process_between_two_runs_is_told_by_the_next(victim: Sandbox) -> None:
    victim.run("kept = 41")
    assert victim._session is not None
    victim._session._worker.end()
    result = victim.run("'kept' in globals()")
    assert (result.status, result.value) == ("ok", False)
    assert result.warnings == ("the sandbox's process ended between two runs: the variables of earlier runs are gone",)
