// Whether a snippet has changed JavaScript's own objects, on which the interpreter, the engine and the host script run. Nothing is
// put back: the process is replaced. Whoever hides a change from this misleads the later runs of its own session, no more.

const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
const { is } = Object;

const NAMES = [
  "Array", "ArrayBuffer", "Atomics", "BigInt", "BigInt64Array", "BigUint64Array", "Boolean", "DataView", "Date", "Error",
  "FinalizationRegistry", "Float32Array", "Float64Array", "Function", "Int16Array", "Int32Array", "Int8Array", "Iterator", "JSON",
  "Map", "Math", "Number", "Object", "Promise", "Proxy", "RangeError", "Reflect", "RegExp", "Set", "SharedArrayBuffer", "String",
  "Symbol", "SyntaxError", "TextDecoder", "TextEncoder", "TypeError", "URL", "Uint16Array", "Uint32Array", "Uint8Array",
  "Uint8ClampedArray", "WeakMap", "WeakRef", "WeakSet", "WebAssembly", "performance", "crypto", "Deno", "console",
];
const LOOSE = ["parseInt", "parseFloat", "isNaN", "queueMicrotask", "setTimeout", "clearTimeout", "structuredClone"];

function watchedObjects(more) {
  const found = [...more];
  for (const name of NAMES) {
    const value = globalThis[name];
    if (value === undefined) continue;
    found.push(value);
    if (typeof value === "function" && value.prototype) found.push(value.prototype);
  }
  found.push(getPrototypeOf(Uint8Array), getPrototypeOf(Uint8Array.prototype), getPrototypeOf([][Symbol.iterator]()));
  found.push(getPrototypeOf(function* () {}.prototype), Deno.stdout, getPrototypeOf(Deno.stdout), performance.constructor.prototype);
  return [...new Set(found)];
}

// Returns a function that says whether all is as it is now. It uses nothing that it has not taken before. Of `more` (objects with
// counters of their own) the functions are watched.
export function intactness(...more) {
  const names = [...NAMES, ...LOOSE];
  const values = names.map((name) => globalThis[name]);
  const saved = watchedObjects(more).map((object) => {
    const all = ownKeys(object);
    const keys = more.includes(object) ? all.filter((key) => typeof object[key] === "function") : all;
    return { object, parent: getPrototypeOf(object), count: all.length, keys, properties: keys.map((key) => getOwnPropertyDescriptor(object, key)) };
  });
  return () => {
    for (let i = 0; i < names.length; i++) if (!is(globalThis[names[i]], values[i])) return false;
    for (let i = 0; i < saved.length; i++) {
      const { object, parent, count, keys, properties } = saved[i];
      if (getPrototypeOf(object) !== parent || ownKeys(object).length !== count) return false;
      for (let j = 0; j < keys.length; j++) {
        const now = getOwnPropertyDescriptor(object, keys[j]);
        const then = properties[j];
        if (now === undefined || !is(now.value, then.value) || now.get !== then.get || now.set !== then.set) return false;
      }
    }
    return true;
  };
}
