/** @module DNS messages over TCP: each is prefixed with its length (RFC 1035, 4.2.2). */
import { Buffer } from "node:buffer";

async function readFully(connection: Deno.Conn, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let offset = 0; offset < length;) {
    const read = await connection.read(bytes.subarray(offset));
    if (read === null) throw new Deno.errors.UnexpectedEof("The other side closed the connection");
    offset += read;
  }
  return bytes;
}

/** @throws {Deno.errors.UnexpectedEof} if the other side closes the connection. */
export async function readDnsMessage(connection: Deno.Conn): Promise<Buffer> {
  const length = (await readFully(connection, 2)).readUInt16BE();
  return await readFully(connection, length);
}

export async function writeDnsMessage(connection: Deno.Conn, message: Buffer): Promise<void> {
  const framed = Uint8Array.of(message.length >> 8, message.length & 0xff, ...message);
  for (let sent = 0; sent < framed.length;) {
    sent += await connection.write(framed.subarray(sent));
  }
}
