"""Attacks by what Deno and Node bring along that asks for no permission, and by the frames' ids. The form is that of
attacks.py."""

# ruff: noqa: E501 (a snippet in one line reads better than one cut in pieces)
from __future__ import annotations

from attacks import NOT_CAPABLE, WALK, Attack, js

SQLITE = "const d = new (process.getBuiltinModule('sqlite').DatabaseSync)(':memory:'); "
GONE = "is not a constructor"
V8 = "const v8 = process.getBuiltinModule('v8'); "
CORE = "const core = Deno[Deno.internal].core; "

MODULES = [
    js("sqlite in a file", "new (process.getBuiltinModule('sqlite').DatabaseSync)('{folder}/out'); return 1", "error", GONE),
    js("sqlite attaches a file", SQLITE + "d.exec(`attach '{folder}/out' as e; create table e.t(a)`); return 1", "error", GONE),
    js("sqlite vacuums into a file", SQLITE + "d.exec(`create table t(a); vacuum into '{folder}/out'`); return 1", "error", GONE),
    js("sqlite spills to the disk", SQLITE + "d.exec('pragma temp_store=1; pragma cache_size=1; create temp table t(a); "
       "with recursive c(x) as (select 1 union all select x + 1 from c limit 20000) insert into temp.t select randomblob(500) from c'); return 1",
       "error", GONE),
    js("sqlite loads an extension", "const { DatabaseSync } = process.getBuiltinModule('sqlite'); const d = new DatabaseSync(':memory:', { allowExtension: true }); "
       "d.loadExtension('/lib/libc.so.6'); return 1", "error", GONE),
    js("sqlite looks for a folder", SQLITE + "d.exec(`pragma temp_store_directory='{folder}'`); return 1", "error", GONE),
    js("WASI opens the root", "new (process.getBuiltinModule('wasi').WASI)({ version: 'preview1', preopens: { '/': '/' } }); return 1", "error", "failed to open preopen"),
    js("ids by V8's heap", V8 + "return v8.getHeapSnapshot().read()", "error", "not a function"),
    js("V8 writes its heap", V8 + "return v8.writeHeapSnapshot('{folder}/out')", "error", "not a function"),
    js("V8 writes its heap when it is full", V8 + "v8.setHeapSnapshotNearHeapLimit(1); return 1", "error", "not a function"),
    js("V8 writes a log", V8 + "for (const flag of ['--log-all', '--prof', '--perf-prof', '--logfile={folder}/out']) v8.setFlagsFromString(flag); return 1", "ok", 1),
    js("V8 lifts the bound of memory", V8 + "v8.setFlagsFromString('--wasm-max-mem-pages=65536'); return new WebAssembly.Memory({ initial: 20000 }).buffer.byteLength", "error", "could not allocate"),
    js("V8's own syntax", V8 + "v8.setFlagsFromString('--allow-natives-syntax'); return new Function('return %GetHeapUsage()')()", "error", "Unexpected token"),
    Attack("a folder of the host by NODEFS", "import js, os, pyodide_js\nfrom pyodide.ffi import to_js\nfs = pyodide_js.FS\nos.makedirs('/m', exist_ok=True)\n"
           "fs.mount(fs.filesystems.NODEFS, to_js({'root': '/'}, dict_converter=js.Object.fromEntries), '/m')", "error", NOT_CAPABLE),
    Attack("a folder of the host by Pyodide", "import pyodide_js\npyodide_js.mountNodeFS('/n', '/')", "error", "does not exist"),
    js("the inspector", "new (process.getBuiltinModule('inspector').Session)().connect(); return 1", "error", NOT_CAPABLE),
    js("certificates of the system", "return process.getBuiltinModule('tls').getCACertificates('system').length", "error", NOT_CAPABLE),
    js("a module by its resolution", "return process.getBuiltinModule('module').createRequire('file:///x.js').resolve('/etc/passwd')", "error", "read access"),
    js("a module's loader for JSON", "const M = process.getBuiltinModule('module'); const m = new M('x'); M._extensions['.json'](m, '{canary}'); return m.exports", "error", NOT_CAPABLE),
    js("a file's existence", "return process.getBuiltinModule('fs').existsSync('/etc/passwd')", "error", NOT_CAPABLE),
    js("a library by dlopen of Node", "process.dlopen({ exports: {} }, '/lib/libc.so.6'); return 1", "error", NOT_CAPABLE),
    js("a signal to the parent by Node", "process.kill(process.ppid, 'SIGKILL'); return 1", "error", ""),
    js("a debugger for the parent", "process._debugProcess(process.ppid); return 1", "error", ""),
    js("a report of Node", "return process.report.writeReport('{folder}/out')", "ok", ""),
    js("events traced to a file", "process.getBuiltinModule('trace_events').createTracing({ categories: ['node'] }).enable(); return 1", "ok", 1),
    js("an environment file", "process.loadEnvFile('/etc/environment'); return 1", "error", NOT_CAPABLE),
    js("the bridge of foreign functions", CORE + "return core.ops.op_ffi_ptr_create(4096n)", "error", NOT_CAPABLE),
    js("a panic of Deno", CORE + "core.ops.op_panic('x')", "crashed"),
    js("the clipboard of a desktop", CORE + "core.ops.op_desktop_read_clipboard_text(); return 1", "ok", 1),
    js("microtasks of another context", "const vm = process.getBuiltinModule('vm'); globalThis.got = 0; const c = vm.createContext({ g: globalThis }, { microtaskMode: 'afterEvaluate' }); "
       "vm.runInContext('g.fetch(`http://127.0.0.1:{port}/`).catch(() => {})', c); return 1", "ok", 1),
    js("a timer by Deno's own hand", CORE + "setTimeout(() => fetch('http://127.0.0.1:{port}/').catch(() => {}), 0); core.__processTimers(1e15); return 1", "ok", 1),
]  # fmt: skip

STEAL = (
    "globalThis.seen = ''; const P = Object.getPrototypeOf(Uint8Array.prototype); const note = (x) => { try { seen += typeof x === 'string' ? x : new TextDecoder().decode(x) } catch {} }; "
    "const watch = (at, name) => { const was = at[name]; at[name] = function (...a) { note(this); a.map(note); const r = was.apply(this, a); note(r); return r; } }; "
)
TOLD = "\nprint('x' * 9000)\nresult = body('return seen.includes(`gener` + `ation\":`)')"


def stolen(name: str, body: str) -> Attack:
    """A look at what the host script handles while it writes a frame. It sees the ids of no frame."""
    return Attack(name, WALK + f"body({STEAL + body!r})" + TOLD, "ok", False)


IDS = [
    stolen("ids by JSON.stringify", "watch(JSON, 'stringify')"),
    stolen("ids by TextEncoder", "watch(TextEncoder.prototype, 'encode'); watch(TextEncoder.prototype, 'encodeInto')"),
    stolen("ids by set", "watch(P, 'set'); watch(P, 'subarray')"),
    stolen("ids by writeSync", "watch(Deno.stdout, 'writeSync'); watch(Object.getPrototypeOf(Deno.stdout), 'writeSync')"),
    stolen("ids by Deno's core", CORE + "watch(core, 'writeSync'); watch(core, 'write'); watch(core.ops, 'op_write_sync'); watch(core, 'encode')"),
    stolen("ids by toJSON", "Object.defineProperty(Object.prototype, 'toJSON', { configurable: true, get() { note(Object.keys(this).join()); return undefined } })"),
    stolen("ids by a species", "Object.defineProperty(Object.getPrototypeOf(Uint8Array), Symbol.species, { configurable: true, get() { return class extends Uint8Array { constructor(...a) { super(...a); note(this) } } } })"),
    stolen("ids by a length", "const { get } = Object.getOwnPropertyDescriptor(P, 'length'); Object.defineProperty(P, 'length', { get() { note(this); return get.call(this) } })"),
    stolen("ids by DataView", "watch(DataView.prototype, 'setUint32'); globalThis.DataView = new Proxy(DataView, { construct(t, a) { note(new Uint8Array(a[0])); return new t(...a) } })"),
    stolen("ids by Uint8Array", "globalThis.Uint8Array = new Proxy(Uint8Array, { construct(t, a) { const r = new t(...a); a.map(note); note(r); return r } })"),
    stolen("ids by Reflect.apply", "watch(Reflect, 'apply'); watch(Reflect, 'construct')"),
    stolen("ids by a stack trace", "Error.prepareStackTrace = (e, s) => { for (const c of s) note(String(c.getFunction?.()) + String(c.getThis?.())); return '' }; Error.captureStackTrace({})"),
]  # fmt: skip

MEMORY = [
    js("shared buffers", "const k = []; for (;;) { const b = new SharedArrayBuffer(5e7); new Uint8Array(b).fill(1); k.push(b) }", "memory_limit"),
    js("shared WebAssembly memories", "const k = []; for (;;) { const m = new WebAssembly.Memory({ initial: 800, maximum: 800, shared: true }); new Uint8Array(m.buffer).fill(1); k.push(m) }", "error", "could not allocate"),
    js("small objects", "const k = []; for (;;) k.push({ a: [1, 2, 3] })", "memory_limit"),
    js("blobs", "const k = []; for (;;) k.push(new Blob([new Uint8Array(5e7).fill(1)]))", "memory_limit"),
    js("messages that nobody takes", "const c = new MessageChannel(); for (;;) c.port1.postMessage(new Uint8Array(5e7).fill(1))", "error", "out of memory"),
    js("a key that takes long", "process.getBuiltinModule('crypto').pbkdf2Sync('a', 'b', 1e9, 64, 'sha512'); return 1", "time_limit"),
    js("waiting for nobody", "Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0); return 1", "time_limit"),
    Attack("prints of nothing", "import os\nfor _ in range(100_000): os.write(1, b'')\n1", "ok", 1),
    Attack("prints after the limit", "while True:\n    try:\n        while True: print('x' * 1000)\n    except KeyboardInterrupt: pass", "time_limit"),
    Attack("an artifact of 9 MB", "_ = open('/out/a', 'wb').write(b'x' * 9_000_000)\n1", "ok", 1),
]  # fmt: skip

# The next run is answered all the same, by a new process.
REQUESTS = [
    js("requests closed by Node", "process.getBuiltinModule('fs').closeSync(0); return 1", "ok", 1),
    js("requests closed by Deno's core", CORE + "core.close(0); return 1", "ok", 1),
    js("requests that do not wait", CORE + "core.ops.op_node_fd_set_blocking(0, false); return 1", "ok", 1),
    js("requests read by Node", "process.getBuiltinModule('fs').readSync(0, new Uint8Array(8)); return 1", "time_limit"),
    js("stdout written by Node", "process.getBuiltinModule('fs').writeSync(1, 'x'); return 1", "protocol"),
    js("stdout printed by Deno's core", CORE + "core.print('x', false); return 1", "protocol"),
    Attack("a warning that is no text", "import gc\n[o for o in gc.get_objects() if type(o).__name__ == 'Session'][0]._warnings.append(5)\n1", "protocol"),
    Attack("an artifact above the limit", "import gc\n[o for o in gc.get_objects() if type(o).__name__ == 'Session'][0]._limits['artifact_bytes'] = 10 ** 9\n"
           "_ = open('/out/a', 'wb').write(b'x' * 20_000_000)\n1", "protocol"),
    js("the exit code of the unheard", "Deno.exit(97)", "crashed"),
    js("handlers of the end", "addEventListener('unload', () => { for (;;); }); process.on('exit', () => { for (;;); }); return 1", "ok", 1),
]  # fmt: skip
