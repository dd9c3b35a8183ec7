/**
 * One query to one DNS server, over UDP or TCP (RFC 1035, 4.2). The clients in `dns2` have no
 * timeout for TCP, so only its codec is used.
 *
 * @module
 */
import type { Buffer } from "node:buffer";
import { createSocket } from "node:dgram";
import { isIPv6 } from "node:net";
import { Packet } from "dns2";
import { readDnsMessage, writeDnsMessage } from "../../lib/dns_frames.ts";
import type { LookupType } from "./dns_lookup.ts";

export interface DnsServer {
  readonly address: string;
  readonly port: number;
}

export class DnsTimeoutError extends Error {
  override readonly name = "DnsTimeoutError";
}

/** Creates a query that has a random ID and asks for recursion. */
export function makeQuery(name: string, type: LookupType): Packet {
  const query = new Packet();
  query.header.id = Packet.uuid();
  query.header.rd = 1;
  query.questions.push(new Packet.Question(name, Packet.TYPE[type], Packet.CLASS.IN));
  return query;
}

/** Decodes a response. Returns `undefined` for a message that does not belong to the query. */
function readResponse(message: Buffer, query: Packet): Packet | undefined {
  let response: Packet;
  try {
    response = Packet.parse(message);
  } catch {
    return undefined;
  }
  const [asked, answered] = [query.questions[0], response.questions[0]];
  const fits = response.header.id === query.header.id && response.header.qr === 1 &&
    answered?.type === asked?.type &&
    answered?.name.toLowerCase() === asked?.name.toLowerCase();
  return fits ? response : undefined;
}

/** Queries from a random port, and ignores forged messages. @throws {DnsTimeoutError} */
export function askByUdp(
  server: DnsServer,
  query: Packet,
  timeoutMs: number,
): Promise<Packet> {
  const { address, port } = server;
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  return new Promise<Packet>((resolve, reject) => {
    const timer = setTimeout(() => reject(new DnsTimeoutError()), timeoutMs);
    socket.on("message", (message, from) => {
      if (from.port !== port || from.address !== address) return;
      const response = readResponse(message, query);
      if (response === undefined) return;
      clearTimeout(timer);
      resolve(response);
    });
    socket.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.send(query.toBuffer(), port, address);
  }).finally(() => socket.close());
}

async function exchange(connection: Deno.Conn, query: Packet): Promise<Packet> {
  await writeDnsMessage(connection, query.toBuffer());
  const response = readResponse(await readDnsMessage(connection), query);
  if (response === undefined) throw new TypeError("The response does not match the query");
  return response;
}

/** Queries over TCP, where a response can have any length. @throws {DnsTimeoutError} */
export async function askByTcp(
  { address, port }: DnsServer,
  query: Packet,
  timeoutMs: number,
): Promise<Packet> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DnsTimeoutError()), timeoutMs);
  });
  const connecting = Deno.connect({ hostname: address, port });
  try {
    const connection = await Promise.race([connecting, timeout]);
    return await Promise.race([exchange(connection, query), timeout]);
  } finally {
    clearTimeout(timer);
    connecting.then((connection) => connection.close(), () => {});
  }
}
