// What would differ from run to run, made an input: the clocks, and the random bytes of interpreter and engine. All of them read
// these functions when they are called, so one replacement before anything loads serves Python, SQL and JavaScript.
//
// A clock that stood still would never let a loop end that waits for it, so each reading moves it on by a microsecond: the
// same readings give the same times. The host script keeps the true clock for deadlines.

import nodeCrypto from "node:crypto";

const TICK_MS = 0.001;
let epoch = 0;
let ticks = 0;
let state = 0;

// mulberry32 (public domain): 32 bits a step are plenty for samples and shuffles, and nothing here guards a secret.
function next() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return (t ^ (t >>> 14)) >>> 0;
}

function fill(view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  for (let i = 0; i < bytes.length; i++) bytes[i] = next() & 0xff;
  return view;
}

export function repeatable(seed) {
  state = seed | 0;
  Date.now = () => Math.floor(epoch + ++ticks * TICK_MS);
  performance.now = () => ++ticks * TICK_MS;
  Math.random = () => next() / 2 ** 32;
  crypto.getRandomValues = fill;
  nodeCrypto.randomFillSync = fill;
}

// The wall clock of the next run, in milliseconds since 1970 (UTC).
export function setClock(milliseconds) {
  epoch = milliseconds - ticks * TICK_MS;
}
