"""Attacks as data: a name, a snippet, and the exact outcome.

An outcome is a status; for `ok` the value too, for `error` a part of the message. `{canary}`, `{port}` and `{folder}`
stand for a file of the host, the port of a loopback listener and a folder that a test watches.
"""

# ruff: noqa: E501 (a snippet in one line reads better than one cut in pieces)
from __future__ import annotations

from dataclasses import dataclass

JS = "import js\n"
# The constructor of any JavaScript function makes functions of the global realm, whatever `js` is replaced by.
WALK = "import pyodide_js\nF = pyodide_js.runPython.constructor\nbody = lambda text: F(text)()\n"


@dataclass(frozen=True)
class Attack:
    """One try. `status` and `holds` as described above."""

    name: str
    code: str
    status: str
    holds: object = None


def js(name: str, body: str, status: str, holds: object = None) -> Attack:
    """An attack by JavaScript that the constructor walk runs."""
    return Attack(name, WALK + f"result = body({body!r})", status, holds)


NOT_CAPABLE = "NotCapable"

PYTHON = [
    Attack("os.system", "import os\nos.system('id > {folder}/out')", "crashed"),
    Attack("os.popen", "import os\nos.popen('id').read()", "error", "emscripten does not support processes"),
    Attack("subprocess", "import subprocess\nsubprocess.run(['id'])", "error", "emscripten does not support processes"),
    Attack("os.fork", "import os\nos.fork()", "error", "not implemented"),
    Attack("os.execv", "import os\nos.execv('/bin/sh', ['sh'])", "error", ""),
    Attack("os.kill parent", "import os\nos.kill(os.getppid(), 9)", "error", ""),
    Attack("read passwd", "open('/etc/passwd').read()", "error", "No such file"),
    Attack("read canary", "open('{canary}').read()", "error", "No such file"),
    Attack("read proc", "open('/proc/self/environ').read()", "error", "No such file"),
    Attack("pathlib walk", "import pathlib\n'{canary}' in map(str, pathlib.Path('/').rglob('*'))", "ok", False),
    Attack("write host folder", "open('{folder}/out', 'w').write('x')", "error", "No such file"),
    Attack("make and write", "import os\nos.makedirs('{folder}')\nopen('{folder}/out', 'w').write('x')", "ok", 1),
    Attack("socket connect", "import socket\ns = socket.socket()\ns.connect(('127.0.0.1', {port}))", "error", ""),
    Attack("socket listen", "import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()", "crashed"),
    Attack("urlopen", "import socket\nsocket.create_connection(('127.0.0.1', {port}))", "error", ""),
    Attack(
        "environment", "import os\n[k for k in os.environ if 'PATH' == k and '/usr/sbin' in os.environ[k]]", "ok", []
    ),
    Attack("ctypes dlopen", "import ctypes\nctypes.CDLL(None).system(b'id > {folder}/out')", "crashed"),
    Attack("ctypes emscripten", "import ctypes\nctypes.CDLL(None).emscripten_run_script(b'Deno.exit(0)')", "crashed"),
    Attack("ctypes wild read", "import ctypes\nctypes.string_at(2**32 - 64, 32)", "crashed"),
    Attack("micropip", "import micropip", "error", "bench-analyze sandbox add micropip"),
    Attack("pyodide fetch", "from pyodide.http import open_url\nopen_url('http://127.0.0.1:{port}/')", "error", ""),
    Attack("pyodide loadPackage", "import pyodide_js\npyodide_js.loadPackage('numpy')\n1", "ok", 1),
    Attack(
        "gc for the bridge", "import gc\nlen([o for o in gc.get_objects() if 'password' in repr(type(o))])", "ok", 0
    ),
    Attack("multiprocessing", "import multiprocessing\nmultiprocessing.Process(target=print).start()", "error", ""),
    Attack("threading", "import threading\nthreading.Thread(target=print).start()", "error", "can't start new thread"),
    Attack("asyncio.run", "import asyncio\nasyncio.run(asyncio.sleep(0))", "error", ""),
    Attack("input", "input('password?')", "error", "nobody to answer"),
]

JAVASCRIPT = [
    js("Deno.readTextFileSync", "return Deno.readTextFileSync('/etc/passwd')", "error", NOT_CAPABLE),
    js("read the image", "return Deno.readTextFileSync('host.mjs')", "error", NOT_CAPABLE),
    js("read the canary", "return Deno.readTextFileSync('{canary}')", "error", NOT_CAPABLE),
    js("readDirSync", "return [...Deno.readDirSync('/')].length", "error", NOT_CAPABLE),
    js("statSync", "return Deno.statSync('/etc/passwd').size", "error", NOT_CAPABLE),
    js("writeTextFileSync", "Deno.writeTextFileSync('{folder}/out', 'x')", "error", NOT_CAPABLE),
    js("makeTempDirSync", "return Deno.makeTempDirSync()", "error", NOT_CAPABLE),
    js("symlinkSync", "Deno.symlinkSync('/etc/passwd', '{folder}/out')", "error", NOT_CAPABLE),
    js("openSync", "return Deno.openSync('/dev/stdin').readable", "error", NOT_CAPABLE),
    js("open /dev/fd", "return Deno.openSync('/dev/fd/0')", "error", NOT_CAPABLE),
    js("open /proc/self/mem", "return Deno.openSync('/proc/self/mem')", "error", NOT_CAPABLE),
    js("Command", "return new Deno.Command('/usr/bin/id').outputSync()", "error", NOT_CAPABLE),
    js("env.get", "return Deno.env.get('HOME')", "error", NOT_CAPABLE),
    js("env.toObject", "return Deno.env.toObject()", "error", NOT_CAPABLE),
    js("hostname", "return Deno.hostname()", "error", NOT_CAPABLE),
    js("networkInterfaces", "return Deno.networkInterfaces()", "error", NOT_CAPABLE),
    js("osRelease", "return Deno.osRelease()", "error", NOT_CAPABLE),
    js("dlopen", "return Deno.dlopen('/lib/libc.so.6', {})", "error", NOT_CAPABLE),
    js("chdir", "Deno.chdir('/')", "error", NOT_CAPABLE),
    js("kill", "Deno.kill(Deno.ppid, 'SIGKILL')", "error", NOT_CAPABLE),
    js("listen", "return Deno.listen({ port: 0 })", "error", NOT_CAPABLE),
    js("ask for a right", "return Deno.permissions.requestSync({ name: 'read' }).state", "ok", "denied"),
    js(
        "query the rights",
        "return ['read','write','net','env','run','sys','ffi','import'].map((name) => "
        "Deno.permissions.querySync({ name }).state).join()",
        "ok",
    ),
    js("connect", "return Deno.connect({ hostname: '127.0.0.1', port: {port} })", "ok"),
    js("fetch", "fetch('http://127.0.0.1:{port}/').catch(() => {}); return 1", "ok", 1),
    js("WebSocket", "return new WebSocket('ws://127.0.0.1:{port}/').url", "error", ""),
    js("EventSource", "return typeof new EventSource('http://127.0.0.1:{port}/')", "ok", "object"),
    js(
        "Worker from data",
        "new Worker('data:text/javascript,Deno.writeTextFileSync(`{folder}/out`,`x`)', { type: 'module' }); return 1",
        "error",
        "Worker is not defined",
    ),
    js(
        "Worker from a blob",
        "new Worker(URL.createObjectURL(new Blob(['1'])), { type: 'module' })",
        "error",
        "not defined",
    ),
    js(
        "node Worker",
        "new (process.getBuiltinModule('worker_threads').Worker)('1', { eval: true })",
        "error",
        "not a constr",
    ),
    js(
        "node Worker by require",
        "const require = process.getBuiltinModule('module').createRequire('file:///x.js'); "
        "new (require('node:worker_threads').Worker)('1', { eval: true })",
        "error",
        "not a constructor",
    ),
    js(
        "node child by require",
        "const require = process.getBuiltinModule('module').createRequire('file:///x.js'); "
        "return require('child_process').execSync('id')",
        "error",
        "",
    ),
    js("node cluster", "process.getBuiltinModule('cluster').fork(); return 1", "error", ""),
    js("import remote", "import('http://127.0.0.1:{port}/x.mjs').catch(() => {}); return 1", "ok", 1),
    js("import file", "import('file:///etc/passwd').catch(() => {}); return 1", "ok", 1),
    js("import json", "import('{canary}', { with: { type: 'json' } }).catch(() => {}); return 1", "ok", 1),
    js("node fs", "return process.getBuiltinModule('fs').readFileSync('/etc/passwd', 'utf8')", "error", ""),
    js("node child", "return process.getBuiltinModule('child_process').execSync('id')", "error", ""),
    js("node net", "process.getBuiltinModule('net').connect({port}, '127.0.0.1'); return 1", "ok", 1),
    js("node os", "return process.getBuiltinModule('os').userInfo()", "error", ""),
    js(
        "node vm",
        "return process.getBuiltinModule('vm').runInThisContext('Deno.readTextFileSync(`{canary}`)')",
        "error",
        "",
    ),
    js("localStorage", "localStorage.setItem('a', 'b'); return 1", "error", ""),
    js("Deno.openKv", "return typeof Deno.openKv", "ok", "undefined"),
    js("Deno.exit", "Deno.exit(0)", "crashed"),
    js("process.exit", "process.exit(0)", "crashed"),
    js("Deno.core", "return typeof Deno.core", "ok", "undefined"),
    js("internal ops", "return typeof Deno[Deno.internal]?.core?.ops", "ok"),
    js("abort signal trap", "Deno.addSignalListener('SIGTERM', () => {}); return 1", "ok", 1),
    js("prompt", "return prompt('password?')", "ok", None),
]

SQL = [
    Attack("read_csv", "con.sql(\"select * from read_csv('/etc/passwd')\")", "error", "disabled"),
    Attack("read_text", "con.sql(\"select * from read_text('/etc/passwd')\")", "error", "disabled"),
    Attack("read_blob", "con.sql(\"select * from read_blob('{canary}')\")", "error", "disabled"),
    Attack("glob", "con.sql(\"select * from glob('/etc/*')\")", "error", ""),
    Attack("bare file", "con.sql(\"select * from '/etc/passwd.csv'\")", "error", "disabled"),
    Attack("copy to", "con.execute(\"copy (select 1) to '{folder}/out'\")", "error", "disabled"),
    Attack("copy from", "con.execute(\"create table t(a text); copy t from '/etc/passwd'\")", "error", "disabled"),
    Attack("attach", "con.execute(\"attach '{folder}/x.duckdb'\")", "error", "disabled"),
    Attack("export", "con.execute(\"export database '{folder}'\")", "error", "disabled"),
    Attack("import", "con.execute(\"import database '{folder}'\")", "error", "disabled"),
    Attack("install", "con.execute('install httpfs')\n1", "ok", 1),
    Attack("load", "con.execute('load httpfs')", "error", "disabled"),
    Attack("http file", "con.sql(\"select * from 'http://127.0.0.1:{port}/x.csv'\")", "error", "disabled"),
    Attack("unlock", "con.execute('set lock_configuration=false')", "error", "locked"),
    Attack("access on", "con.execute('set enable_external_access=true')", "error", ""),
    Attack("memory up", "con.execute(\"set memory_limit='100GB'\")", "error", "locked"),
    Attack("pragma log", "con.execute(\"pragma log_query_path='{folder}/out'\")", "error", ""),
    Attack("secret", "con.execute(\"create secret (type s3, key_id 'a', secret 'b')\")", "error", ""),
    Attack("getenv", "con.sql(\"select getenv('HOME')\")", "error", ""),
    Attack("profiling", "con.execute('pragma enable_profiling')\ncon.sql('select 1').fetchall()", "ok", [[1]]),
    Attack("write the table", "con.execute('delete from retest')", "error", "read-only"),
    Attack("raw", "con.sql('select * from raw.files')", "error", "does not exist"),
    Attack("by connect", "import duckdb\nduckdb.connect('/etc/passwd')", "error", "no files of the host"),
    Attack("by bridge", "con._engine._bridge.query(\"copy (select 1) to '{folder}/out'\").count('disabled')", "ok", 1),
]  # fmt: skip

FRAME = (
    "const h = new TextEncoder().encode(JSON.stringify(HEADER)); const p = new TextEncoder().encode(PAYLOAD); "
    "const b = new Uint8Array(8 + h.length + p.length); const v = new DataView(b.buffer); "
    "v.setUint32(0, 4 + h.length + p.length); v.setUint32(4, h.length); b.set(h, 8); b.set(p, 8 + h.length); "
    "Deno.stdout.writeSync(b); return 1"
)


def forged(name: str, header: str, payload: str = "''") -> Attack:
    """A frame that the snippet writes to stdout itself."""
    return js(name, FRAME.replace("HEADER", header).replace("PAYLOAD", payload), "protocol")


FORGERY = [
    js(
        "text on stdout",
        "Deno.stdout.writeSync(new TextEncoder().encode('hello, this is no frame')); return 1",
        "protocol",
    ),
    js("one byte", "Deno.stdout.writeSync(new Uint8Array(1)); return 1", "protocol"),
    js("a huge length", "Deno.stdout.writeSync(new Uint8Array(8).fill(255)); return 1", "protocol"),
    js(
        "a header longer than its frame",
        "Deno.stdout.writeSync(new Uint8Array([0,0,0,4,0,0,1,0])); return 1",
        "protocol",
    ),
    js("a flood", "for (;;) Deno.stdout.writeSync(new Uint8Array(65536))", "protocol"),
    forged("an empty header", "{}"),
    forged("a list as header", "[1]"),
    forged("ready again", "{type: 'ready'}"),
    forged("a result without ids", "{type: 'result'}", "'{}'"),
    forged("guessed ids", "{type: 'result', generation: '0', request: '0', sequence: 0}", "'{}'"),
    forged("an unknown kind", "{type: 'execute', command: 'id'}"),
    forged("NaN in the header", "{type: 'output', sequence: NaN}"),
    forged("deep nesting", "{type: 'result'}", "'['.repeat(200000)"),
    Attack("print to fd 1", "import os\nos.write(1, b'\\x00\\x00\\x00\\x04')\n1", "ok", 1),
    Attack("print a marker", 'print(\'{"type": "result"}\')\n1', "ok", 1),
    js("console.log", "console.log('hello'); return 1", "ok", 1),
    js("stderr", "Deno.stderr.writeSync(new TextEncoder().encode('x'.repeat(300000))); return 1", "ok", 1),
    js("close stdout", "Deno.stdout.close(); return 1", "crashed"),
    js("close stdin", "Deno.stdin.close(); return 1", "error", "undefined"),
]

RESOURCES = [
    Attack("while True", "while True: pass", "time_limit"),
    Attack("bare except loop", "while True:\n    try:\n        while True: pass\n    except BaseException: pass", "time_limit"),
    Attack("long sum", "sum(range(10**11))", "time_limit"),
    Attack("big pow", "x = 7 ** 7 ** 9", "time_limit"),
    Attack("regex", "import re\nre.match('(a+)+$', 'a' * 60 + 'b')", "time_limit"),
    Attack("long query", "con.sql('select sum(sin(range)) from range(100000000000)')",
           "time_limit"),
    Attack("JavaScript loop", WALK + "body('for (;;);')", "time_limit"),
    Attack("growing bytearrays", "def grow():\n    x = []\n    while True: x.append(bytearray(20_000_000))\ngrow()", "memory_limit"),
    Attack("one bytearray", "bytearray(2_000_000_000)", "memory_limit"),
    Attack("a long string", "'x' * 2_000_000_000", "memory_limit"),
    Attack("JavaScript buffers", WALK + "body('const k = []; for (;;) k.push(new Uint8Array(50000000).fill(1))')", "memory_limit"),
    Attack("print without end", "while True: print('x' * 1000)", "output_limit"),
    Attack("one huge print", "print('x' * 20_000_000)", "output_limit"),
    Attack("a huge value", "'x' * 20_000_000", "output_limit"),
    Attack("sleep", "import time\ntime.sleep(1000)\n1", "ok", 1),
    Attack("many queries", "for i in range(300): con.execute('select 1')", "error", "limit `queries`"),
    Attack("many rows", "con.sql('select range from range(200_000)').fetchall()", "error", "limit `rows`"),
]  # fmt: skip

BREAKAGE = [
    Attack("os._exit", "import os\nos._exit(0)", "crashed"),
    Attack("os.abort", "import os\nos.abort()", "crashed"),
    Attack("sys.exit", "import sys\nsys.exit(3)", "error", "3"),
    Attack("quit", "quit()", "ok", None),
    Attack("recursion", "def f(): return f()\nf()", "error", "recursion"),
    Attack("drop a deep list", "x = []\nfor _ in range(10**5): x = [x]\nx = None", "crashed"),
    Attack("self-containing list", "x = []\nx.append(x)\nx", "ok"),
    Attack("break json", "import json\njson.dumps = None\n1", "ok", 1),
    Attack("break builtins", "import builtins\nbuiltins.isinstance = None\n1", "crashed"),
    Attack("bad repr", "class A:\n    def __repr__(self): raise SystemExit(1)\nA()", "error"),
    Attack("bad str of an error", "class E(Exception):\n    def __str__(self): raise ValueError\nraise E", "error", "its message raised"),
    Attack("raise KeyboardInterrupt", "raise KeyboardInterrupt", "error", ""),
    Attack("raise MemoryError", "raise MemoryError", "memory_limit"),
    Attack("GeneratorExit", "raise GeneratorExit", "error", ""),
    Attack("NUL", "x = 1\x00", "error", "null bytes"),
    Attack("syntax", "def", "error", ""),
    Attack("empty", "", "ok", None),
    Attack("surrogate in code", "'\ud800'", "error", ""),
    Attack("surrogate printed", "print(chr(0xD800))\n1", "ok", 1),
    Attack("surrogate value", "chr(0xD800)", "ok", "\\ud800"),
    Attack("NaN", "[float('nan'), float('inf'), 1.5]", "ok", [None, None, 1.5]),
    Attack("ANSI and HTML", "'\\x1b[31m<script>alert(1)</script>'", "ok", "\x1b[31m<script>alert(1)</script>"),
    Attack("artifact above /out", "open('/out/../x', 'w').write('x')", "ok", 1),
    Attack("column names", "con.sql('select 1 as \"a; drop table retest; --\", 2 as \"\\x00b\"')", "error", ""),
    Attack("a cell that is code", "con.sql(\"select '__import__(\"\"os\"\").abort()' as c\").fetchone()[0]", "ok"),
]  # fmt: skip
