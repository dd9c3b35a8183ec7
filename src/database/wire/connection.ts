/** @module Reads packets of known length from a connection, and writes whole packets. */
import { ProtocolError } from "./frame_scanner.ts";
import type { Frame } from "./messages.ts";

/** The methods of a connection that are used here. TCP, TLS and Unix sockets have them. */
export interface Connection {
  read(buffer: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

/** The peer has closed the connection. */
export class ConnectionEnded extends Error {
  override readonly name = "ConnectionEnded";
  constructor() {
    super("The connection was closed");
  }
}

/** @throws {ConnectionEnded} */
export async function readExactly(
  connection: Connection,
  bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(bytes);
  for (let have = 0; have < bytes;) {
    const count = await connection.read(whole.subarray(have));
    if (count === null) throw new ConnectionEnded();
    have += count;
  }
  return whole;
}

/**
 * Reads one message.
 *
 * @throws {ProtocolError} if the message is longer than `maxBytes` @throws {ConnectionEnded}
 */
export async function readFrame(connection: Connection, maxBytes: number): Promise<Frame> {
  const head = await readExactly(connection, 5);
  const length = new DataView(head.buffer).getUint32(1);
  if (length < 4 || length > maxBytes) {
    throw new ProtocolError(`A message cannot have ${length} bytes here`);
  }
  const payload = await readExactly(connection, length - 4);
  const bytes = new Uint8Array(head.byteLength + payload.byteLength);
  bytes.set(head);
  bytes.set(payload, head.byteLength);
  return { letter: String.fromCharCode(head[0]!), bytes, payload };
}

export async function writeAll(connection: Connection, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.byteLength;) {
    sent += await connection.write(bytes.subarray(sent));
  }
}

/** Closes a connection that may already be closed. */
export function closeQuietly(connection: Connection): void {
  try {
    connection.close();
  } catch { /* closed already */ }
}
