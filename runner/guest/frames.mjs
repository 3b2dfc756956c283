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

function writeAll(bytes) {
  let offset = 0;
  while (offset < bytes.length) offset += stdout.writeSync(bytes.subarray(offset, offset + MAX_WRITE));
}

export function writeFrame(header, payload = new Uint8Array()) {
  const head = encoder.encode(JSON.stringify(header));
  const prefix = new Uint8Array(8 + head.length);
  const view = new DataView(prefix.buffer);
  view.setUint32(0, 4 + head.length + payload.length);
  view.setUint32(4, head.length);
  prefix.set(head, 8);
  if (payload.length < 4096) {
    const whole = new Uint8Array(prefix.length + payload.length);
    whole.set(prefix);
    whole.set(payload, prefix.length);
    writeAll(whole);
  } else {
    writeAll(prefix);
    writeAll(payload);
  }
}
