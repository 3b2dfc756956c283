// Frames on stdin and stdout: u32 body length, u32 header length (both big-endian), header as JSON in UTF-8, payload.
// Reads are synchronous: while this process waits for a request, its event loop stands still, so nothing that a snippet
// left behind on it (a timer, a promise) can run between two requests.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
const stdin = Deno.stdin;
const stdout = Deno.stdout;
const MAX_WRITE = 1 << 20;

function readExactly(length) {
  const bytes = new Uint8Array(length);
  let offset = 0;
  while (offset < length) {
    const count = stdin.readSync(bytes.subarray(offset));
    if (count === null) return null;
    offset += count;
  }
  return bytes;
}

export function readFrame() {
  const prefix = readExactly(8);
  if (prefix === null) return null;
  const view = new DataView(prefix.buffer);
  const bodyLength = view.getUint32(0);
  const headerLength = view.getUint32(4);
  const body = readExactly(bodyLength - 4);
  if (body === null) return null;
  return { header: JSON.parse(decoder.decode(body.subarray(0, headerLength))), payload: body.subarray(headerLength) };
}

// What is called here was taken before the first snippet, and no step looks a name up on an object of JavaScript's: a snippet that
// replaces such a name sees no header, whose ids would let it end its own run and go on.
const { apply, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const { stringify } = JSON;
const Bytes = Uint8Array;
const Memory = ArrayBuffer;
const { encode } = TextEncoder.prototype;
const { set } = Bytes.prototype;
const { get: lengthOf } = getOwnPropertyDescriptor(getPrototypeOf(Bytes.prototype), "length");
const { writeSync } = stdout;

function writeAll(buffer, length) {
  for (let offset = 0; offset < length; ) {
    const size = length - offset < MAX_WRITE ? length - offset : MAX_WRITE;
    offset += apply(writeSync, stdout, [new Bytes(buffer, offset, size)]);
  }
}

function putNumber(bytes, offset, value) {
  bytes[offset] = value >>> 24;
  bytes[offset + 1] = value >>> 16;
  bytes[offset + 2] = value >>> 8;
  bytes[offset + 3] = value;
}

// `header` has no prototype, and its values are strings, numbers and booleans.
export function writeFrame(header, payload = new Bytes()) {
  const head = apply(encode, encoder, [stringify(header)]);
  const headLength = apply(lengthOf, head, []);
  const payloadLength = apply(lengthOf, payload, []);
  const buffer = new Memory(8 + headLength + payloadLength);
  const whole = new Bytes(buffer);
  putNumber(whole, 0, 4 + headLength + payloadLength);
  putNumber(whole, 4, headLength);
  apply(set, whole, [head, 8]);
  apply(set, whole, [payload, 8 + headLength]);
  writeAll(buffer, 8 + headLength + payloadLength);
}
