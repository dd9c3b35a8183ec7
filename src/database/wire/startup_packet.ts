/** @module The first packet of a connection: a startup message, or a request that replaces it. */
import { ProtocolError } from "./frame_scanner.ts";

/** PostgreSQL's own limit (`MAX_STARTUP_PACKET_LENGTH`). */
const MAX_STARTUP_BYTES = 10_000;
const MIN_STARTUP_BYTES = 8;

const CANCEL_REQUEST = 80877102;
const SSL_REQUEST = 80877103;
const GSS_REQUEST = 80877104;
const MAJOR_VERSION = 3;

/** Maximum length of a cancel key in protocol 3.2, in bytes. */
const MAX_CANCEL_KEY_BYTES = 256;

export type StartupPacket =
  | { readonly type: "encryption"; readonly kind: "tls" | "gss" }
  | {
    readonly type: "cancel";
    readonly processId: number;
    readonly secret: Uint8Array<ArrayBuffer>;
  }
  | { readonly type: "unsupported"; readonly version: string }
  | {
    readonly type: "startup";
    readonly minorVersion: number;
    readonly parameters: ReadonlyMap<string, string>;
  };

/** Reads the length at the start of a packet. The length includes its own four bytes. */
export function startupLength(head: Uint8Array): number {
  const length = view(head).getUint32(0);
  if (length < MIN_STARTUP_BYTES || length > MAX_STARTUP_BYTES) {
    throw new ProtocolError("This is not a connection from a PostgreSQL client");
  }
  return length;
}

/** Reads a packet without the four bytes of its length. */
export function parseStartupPacket(packet: Uint8Array<ArrayBuffer>): StartupPacket {
  const code = view(packet).getUint32(0);
  const rest = packet.subarray(4);
  if (code === SSL_REQUEST) return { type: "encryption", kind: "tls" };
  if (code === GSS_REQUEST) return { type: "encryption", kind: "gss" };
  if (code === CANCEL_REQUEST) {
    if (rest.byteLength < 8 || rest.byteLength > 4 + MAX_CANCEL_KEY_BYTES) {
      throw new ProtocolError("The cancel request is malformed");
    }
    return { type: "cancel", processId: view(rest).getUint32(0), secret: rest.slice(4) };
  }
  const [major, minor] = [code >>> 16, code & 0xffff];
  if (major !== MAJOR_VERSION) return { type: "unsupported", version: `${major}.${minor}` };
  return { type: "startup", minorVersion: minor, parameters: parseParameters(rest) };
}

function parseParameters(bytes: Uint8Array): ReadonlyMap<string, string> {
  const parts = decode(bytes).split("\0");
  // A zero byte ends each part, and also the list.
  const [end, last] = [parts.pop(), parts.pop()];
  if (end !== "" || last !== "" || parts.length % 2 !== 0) {
    throw new ProtocolError("The startup message is malformed");
  }
  const parameters = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2) parameters.set(parts[at]!, parts[at + 1]!);
  return parameters;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ProtocolError("The startup message is not in UTF-8");
  }
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns a client's startup message for protocol 3.0. */
export function startupMessage(
  parameters: ReadonlyMap<string, string>,
): Uint8Array<ArrayBuffer> {
  const text = [...parameters].map(([name, value]) => `${name}\0${value}\0`).join("");
  const body = new TextEncoder().encode(`${text}\0`);
  const packet = new Uint8Array(8 + body.byteLength);
  view(packet).setUint32(0, packet.byteLength);
  view(packet).setUint32(4, MAJOR_VERSION << 16);
  packet.set(body, 8);
  return packet;
}

export function sslRequest(): Uint8Array<ArrayBuffer> {
  const packet = new Uint8Array(8);
  view(packet).setUint32(0, packet.byteLength);
  view(packet).setUint32(4, SSL_REQUEST);
  return packet;
}

export function cancelRequest(
  processId: number,
  secret: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const packet = new Uint8Array(12 + secret.byteLength);
  view(packet).setUint32(0, packet.byteLength);
  view(packet).setUint32(4, CANCEL_REQUEST);
  view(packet).setUint32(8, processId);
  packet.set(secret, 12);
  return packet;
}
