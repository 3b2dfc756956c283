// DuckDB-Wasm on this thread. Its script is CommonJS for Node: the installation wraps it in a function (duckdb.mjs), which is
// called here with stand-ins for the modules that it names, so that it needs no permission. Results leave as the Arrow
// bytes that the engine made.

import { load } from "./duckdb.mjs";

const ATTACHED = "analysis";
const LOCK = [
  "autoinstall_known_extensions=false",
  "autoload_known_extensions=false",
  "enable_external_access=false",
  // It answers aggregates over a column of nulls without a scan, and the plan would not say that the column is read.
  "disabled_optimizers='statistics_propagation'",
  "lock_configuration=true",
];

function refused() {
  throw new Error("the sandbox has no files of the host");
}

const fs = new Proxy({ constants: {}, existsSync: () => false }, { get: (known, name) => known[name] ?? refused });
const os = { platform: () => "linux", cpus: () => [], homedir: () => "/" };
const path = new Proxy({ posix: {}, sep: "/" }, { get: (known, name) => known[name] ?? (() => "") });
const stream = { PassThrough: class {}, Readable: class {}, Duplex: class {}, Transform: class {} };
const arrow = new Proxy({}, { get: () => class {} });
const util = { inherits() {}, promisify: (f) => f, types: {}, inspect: Object.assign(String, { custom: Symbol("inspect") }) };
const known = { fs, os, path, stream, util, "apache-arrow": arrow };

const processStandIn = {
  version: "v22.0.0", versions: { node: "22.0.0" }, platform: "linux", argv: [], env: {}, exitCode: 0, on() {}, cwd: () => "/",
};

function requireModule(name) {
  return known[name] ?? {};
}

// The glue runs from start to end without a turn of the event loop when it is handed an instance, so that `con` can be
// opened in the middle of a snippet. `this` of its last callback is the module that `instantiate` would have returned.
export function openDatabase(module, limits) {
  const commonjs = { exports: {} };
  const Bindings = load(requireModule, commonjs, commonjs.exports, "/duckdb.cjs", "/", processStandIn);
  const duckdb = commonjs.exports;
  const bindings = new Bindings(new duckdb.VoidLogger(), duckdb.NODE_RUNTIME, "/duckdb.wasm");
  bindings.instantiateWasm = (imports, done) => {
    globalThis.DUCKDB_RUNTIME = { ...runtimeFunctions(duckdb.NODE_RUNTIME) };
    return done(new WebAssembly.Instance(module, imports), module);
  };
  bindings.instantiateImpl({
    print() {},
    printErr() {},
    onRuntimeInitialized() {
      bindings._instance = this;
    },
  });
  bindings.open({ path: ":memory:", arrowLosslessConversion: true });
  return new Database(bindings, limits);
}

function runtimeFunctions(runtime) {
  return Object.fromEntries(Object.entries(runtime).filter(([name]) => name !== "constructor"));
}

class Database {
  #bindings;
  #connection;
  #isLocked = false;

  constructor(bindings, limits) {
    this.#bindings = bindings;
    this.#connection = bindings.connect()._conn;
    this.#run(`SET memory_limit='${limits.database_mb}MB'`);
  }

  #run(sql) {
    return this.#bindings.runQuery(this.#connection, sql);
  }

  attach(bytes) {
    this.#bindings.registerFileBuffer("analysis.duckdb", bytes);
    this.#run(`ATTACH 'analysis.duckdb' AS ${ATTACHED} (READ_ONLY)`);
    const guarded = typeof this.query(`SELECT 1 FROM ${ATTACHED}.guard.units LIMIT 0`) !== "string";
    const paths = ["memory.main", `${ATTACHED}.main`, ...(guarded ? [`${ATTACHED}.guard`] : [])];
    this.#run(`SET search_path='${paths}'`);
  }

  // Attaching needs external access, so the lock comes after it and before the first statement of a snippet.
  locked() {
    if (!this.#isLocked) for (const setting of LOCK) this.#run(`SET ${setting}`);
    this.#isLocked = true;
    return this;
  }

  // The Arrow bytes of the result, or the engine's error text: an exception would cross two languages to say the same.
  query(sql) {
    try {
      return this.#run(sql);
    } catch (error) {
      return String(error.message ?? error);
    }
  }

  tokenize(sql) {
    return JSON.stringify(this.#bindings.tokenize(sql));
  }
}
