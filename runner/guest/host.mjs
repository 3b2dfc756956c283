// One sandbox process: loads the interpreter and the engine, gives every permission away, then answers requests one at a
// time. It is started by runner/process.py; what it says is checked there as coming from an enemy.

import { loadPyodide } from "./pyodide.mjs";
import createPyodideModule from "./pyodide.asm.mjs";
import { readFrame, writeFrame } from "./frames.mjs";
import { openDatabase } from "./database.mjs";
import { intactness } from "./intact.mjs";
import { openPackages } from "./packages.mjs";
import { repeatable, setClock } from "./repeat.mjs";

// The engine and Emscripten log to the console, which is stdout: a profile asked for in SQL would break the frames.
for (const name of Object.keys(console)) if (typeof console[name] === "function") console[name] = () => {};

const FLUSH_MS = 50;
const FLUSH_BYTES = 8192;
const INTERRUPT_EVERY_MS = 100;
const SIGINT = 2;
const here = decodeURIComponent(new URL(".", import.meta.url).pathname);
const clock = performance.now.bind(performance);
const encoder = new TextEncoder();

process.argv[1] = "/sandbox"; // the interpreter keeps it: the snapshot would hold the path of whoever made it

const { header: start } = readFrame();
const limits = start.limits;
const isRepeatable = start.seed !== null;
if (isRepeatable) repeatable(start.seed);
const bytesOf = (name) => Deno.readFileSync(here + name);

// ---- the engine: compiled while the interpreter loads if a table will come, else read and opened when `con` is first used.
// The open file outlives the right to open it, and holds nothing but the engine.
const engineFile = start.mode === "serve" ? Deno.openSync(here + "duckdb.wasm") : null;
const engineSize = engineFile?.statSync().size;

function engineBytes() {
  const bytes = new Uint8Array(engineSize);
  for (let offset = 0; offset < bytes.length; ) offset += engineFile.readSync(bytes.subarray(offset));
  engineFile.close();
  return bytes;
}

const packages = start.mode === "serve" ? openPackages(here) : null;
const compiling = start.eager ? WebAssembly.compile(engineBytes()) : null;

const lock = { info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2" }, packages: {} };
const options = { indexURL: here, packageBaseUrl: here, lockFileContents: lock, createPyodideModule };

if (start.mode === "snapshot") {
  const python = await loadPyodide({ ...options, _makeSnapshot: true, env: { PYTHONHASHSEED: "0" } });
  python.FS.mkdirTree("/lib/sandbox");
  for (const file of start.modules) {
    python.FS.mkdirTree(`/lib/sandbox/${file}`.replace(/\/[^/]*$/, ""));
    python.FS.writeFile(`/lib/sandbox/${file}`, bytesOf(`python/${file}`));
  }
  python.runPython("import sys; sys.path.insert(0, '/lib/sandbox'); import bench_sandbox.preload");
  writeFrame({ type: "snapshot" }, python.makeMemorySnapshot());
  Deno.exit(0);
}

const python = await loadPyodide({ ...options, _loadSnapshot: bytesOf("snapshot.bin") });
let database = compiling === null ? null : openDatabase(await compiling, limits);

for (const name of ["read", "write", "net", "env", "run", "sys", "ffi", "import"]) Deno.permissions.revokeSync({ name });

// A thread that a snippet leaves behind would write to stdout in the middle of a later run, which would be killed for it. A
// snapshot of the heap holds the ids of the frames.
const TAKEN = {
  worker_threads: ["Worker"],
  sqlite: ["DatabaseSync", "StatementSync", "Session", "backup"], // its pragmas reach the host's folders
  v8: ["getHeapSnapshot", "writeHeapSnapshot", "setHeapSnapshotNearHeapLimit", "queryObjects", "startupSnapshot"],
};
delete globalThis.Worker;
for (const [module, names] of Object.entries(TAKEN)) {
  const exported = process.getBuiltinModule(module);
  for (const name of names) for (const at of [exported, exported.default ?? exported]) Object.defineProperty(at, name, { value: undefined });
}

delete Deno.stdin; // the requests come there: a snippet that closed it would take the next run along

// ---- what the interpreter may call
const request = { id: "", sequence: 0, deadline: Infinity, interrupted: 0, output: 0, overflow: false };

function send(header, payload) {
  const envelope = { generation: start.generation, request: request.id, sequence: request.sequence++ };
  writeFrame({ __proto__: null, ...header, ...envelope }, payload);
}

const pending = { stream: null, parts: [], size: 0, since: 0 };

function flush() {
  if (pending.size === 0) return;
  const whole = new Uint8Array(pending.size);
  let offset = 0;
  for (const part of pending.parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  send({ type: "output", stream: pending.stream }, whole);
  pending.parts = [];
  pending.size = 0;
  pending.since = clock();
}

function print(stream, bytes) {
  if (bytes.length === 0 || request.overflow) return bytes.length;
  const room = limits.output_bytes - request.output;
  const kept = bytes.length > room ? bytes.slice(0, Math.max(room, 0)) : bytes.slice();
  request.output += kept.length;
  if (kept.length < bytes.length) request.overflow = true;
  if (pending.stream !== stream) flush();
  pending.stream = stream;
  pending.parts.push(kept);
  pending.size += kept.length;
  if (pending.size >= FLUSH_BYTES || clock() - pending.since > FLUSH_MS) flush();
  return bytes.length;
}

// Read by the interpreter every few bytecodes: a deadline, or too much output, becomes a KeyboardInterrupt, and again and
// again for a snippet that catches it.
const interrupts = {
  get 0() {
    const now = clock();
    if (pending.size > 0 && now - pending.since > FLUSH_MS) flush();
    if ((now < request.deadline && !request.overflow) || now < request.interrupted + INTERRUPT_EVERY_MS) return 0;
    request.interrupted = now;
    return SIGINT;
  },
  set 0(value) {},
};

function engine() {
  if (database !== null) return database;
  const began = clock();
  database = openDatabase(new WebAssembly.Module(engineBytes()), limits);
  request.deadline += clock() - began;
  return database;
}

const bridge = {
  query: (sql) => engine().locked().query(sql),
  tokenize: (sql) => engine().tokenize(sql),
  packages: () => packages.list,
  wheel: (file) => packages.read(file),
  artifact: (name, media, bytes) => {
    const view = bytes.getBuffer("u8");
    send({ type: "artifact", name: `${name}`, media: `${media}` }, view.data);
    view.release();
  },
  disarm: () => {
    request.deadline = Infinity;
    const why = request.overflow ? "output" : request.interrupted > 0 ? "time" : "";
    request.overflow = false;
    return why;
  },
};

// Taken now: a snippet reaches the objects that they belong to.
const { exit } = Deno;
const { setStdout, setStderr, setStdin, setInterruptBuffer } = python;

function connect() {
  setStdout({ write: (bytes) => print("stdout", bytes) });
  setStderr({ write: (bytes) => print("stderr", bytes) });
  setStdin({ error: true });
  setInterruptBuffer(interrupts);
}

connect();
python.pyimport("random").seed(isRepeatable ? start.seed : undefined);
const guest = python.pyimport("bench_sandbox.session").Session(bridge, JSON.stringify(limits));
const { attached, run, intact } = guest; // bound now, like the functions above
const isIntact = intactness(python, bridge, python.FS);

const handlers = {
  attach(header, payload) {
    engine().attach(payload);
    attached();
    send({ type: "attached" });
  },
  run(header, payload) {
    request.output = 0;
    request.overflow = false;
    request.interrupted = 0;
    if (isRepeatable) setClock(header.clock_ms);
    request.deadline = clock() + header.soft_deadline_ms;
    const answer = run(payload);
    request.deadline = Infinity;
    flush();
    connect();
    send({ type: "result", intact: isIntact() && intact() }, encoder.encode(answer));
  },
};

writeFrame({ type: "ready", generation: start.generation });

// Where a snippet broke what requests come by, the next one ends the process before it was heard; the host knows this exit code.
const UNHEARD = 97;

function heard() {
  try {
    return readFrame();
  } catch {
    return exit(UNHEARD);
  }
}

for (;;) {
  const frame = heard();
  if (frame === null) Deno.exit(0);
  request.id = frame.header.request;
  request.sequence = 0;
  handlers[frame.header.type](frame.header, frame.payload);
}
