/**
 * The name server's sockets: UDP, and TCP for responses that are too long for UDP, and for clients
 * that send too many queries. The servers of `dns2` limit neither connections nor responses, so
 * only its codec is used.
 *
 * @module
 */
import type { Buffer } from "node:buffer";
import { createSocket, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { readDnsMessage, writeDnsMessage } from "../../lib/dns_frames.ts";
import { messageOf } from "../../lib/error_message.ts";
import type { Asked } from "./respond.ts";

/**
 * Maximum number of open TCP connections. Beyond it, the oldest connection is closed for a new one.
 */
const MAX_CONNECTIONS = 128;
/** Time limit for a TCP query and its response, in milliseconds. */
const EXCHANGE_MS = 5000;
const MAX_EXCHANGES = 100;
/**
 * Pause after a failed accept, for example if there are no free file descriptors, in milliseconds.
 */
const PAUSE_MS = 100;

type Sender = Pick<Asked, "from" | "isUdp">;

export interface DnsListenerOptions {
  readonly host: string;
  /** The port; 0 for any free port. */
  readonly port: number;
  /**
   * Returns the response to a message. If there is none, UDP clients get no response, and TCP
   * connections are closed.
   */
  respond(message: Buffer, sender: Sender): Buffer | undefined;
  /** Called once for the first failure. */
  onTrouble(message: string): void;
}

export interface DnsListener {
  readonly port: number;
  close(): Promise<void>;
}

/** Thrown if the name server cannot listen. */
export class DnsListenError extends Error {
  override readonly name = "DnsListenError";
  /** Whether another program is using the port. */
  readonly isInUse: boolean;

  constructor(host: string, port: number, cause: unknown) {
    const isInUse = cause instanceof Deno.errors.AddrInUse ||
      cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
    const reason = isInUse ? "another program is using the port" : messageOf(cause);
    super(`Cannot listen for DNS queries on ${host}:${port}: ${reason}`, { cause });
    this.isInUse = isInUse;
  }
}

async function bind(host: string, port: number): Promise<Socket> {
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(port, host, resolve);
  });
  return socket.removeAllListeners("error");
}

function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch { /* closed already */ }
}

async function converse(
  connection: Deno.TcpConn,
  respond: DnsListenerOptions["respond"],
): Promise<void> {
  const { hostname: from } = connection.remoteAddr;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const close = () => closeQuietly(connection);
  try {
    for (let count = 0; count < MAX_EXCHANGES; count++) {
      clearTimeout(timer);
      timer = setTimeout(close, EXCHANGE_MS);
      const response = respond(await readDnsMessage(connection), { from, isUdp: false });
      if (response === undefined) return;
      await writeDnsMessage(connection, response);
    }
  } catch {
    /* the client has left, or took too long */
  } finally {
    clearTimeout(timer);
    close();
  }
}

/** @throws {DnsListenError} */
export async function listenForDns(
  { host, port: wanted, respond, onTrouble }: DnsListenerOptions,
): Promise<DnsListener> {
  let listener: Deno.TcpListener | undefined;
  let socket: Socket;
  try {
    listener = Deno.listen({ hostname: host, port: wanted });
    socket = await bind(host, listener.addr.port);
  } catch (cause) {
    listener?.close();
    throw new DnsListenError(host, wanted, cause);
  }
  const tcp = listener;
  const { port } = tcp.addr;
  const connections = new Set<Deno.TcpConn>();
  let [isClosed, isTold] = [false, false];
  const tell = (error: unknown) => {
    if (!isTold) onTrouble(`The DNS server could not respond to a query: ${messageOf(error)}`);
    isTold = true;
  };
  const answer: DnsListenerOptions["respond"] = (message, sender) => {
    try {
      return respond(message, sender);
    } catch (error) {
      tell(error);
      return undefined;
    }
  };
  socket.on("error", tell);
  socket.on("message", (message, { address: from, port }) => {
    const response = answer(message, { from, isUdp: true });
    if (response !== undefined) socket.send(response, port, from, (error) => error && tell(error));
  });
  const accepting = (async () => {
    while (!isClosed) {
      try {
        const connection = await tcp.accept();
        const [oldest] = connections;
        if (connections.size >= MAX_CONNECTIONS) closeQuietly(oldest!);
        connections.add(connection);
        converse(connection, answer).finally(() => connections.delete(connection));
      } catch (error) {
        if (isClosed) return;
        tell(error);
        await delay(PAUSE_MS);
      }
    }
  })();
  return {
    port,
    async close() {
      isClosed = true;
      tcp.close();
      for (const each of connections) closeQuietly(each);
      await Promise.all([accepting, new Promise<void>((resolve) => void socket.close(resolve))]);
    },
  };
}
