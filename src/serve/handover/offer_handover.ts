/**
 * The leaving platform's side of a handover: it shares its ports, lets running requests finish,
 * releases the data directory, and passes on requests that still arrive.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../lib/error_message.ts";
import {
  type ConnectionHandler,
  endSharing,
  sharePort,
  stopReceiving,
} from "../../platform/core/listener/mod.ts";
import type { PlatformLog } from "../../platform/core/log.ts";
import {
  type FromPredecessor,
  type FromSuccessor,
  HandoverError,
  MessageLink,
  successorSchema,
} from "./messages.ts";
import { type Answering, RequestPasser } from "./pass_requests.ts";

/** Maximum time for open connections and handshakes to move, in milliseconds. */
const LINGER_MS = 2000;

/** The parts of a platform that are handed over. */
export interface Leaving {
  readonly port: number;
  readonly httpsPort: number | undefined;
  /** Makes this process the only one that listens on the ports. */
  standAlone(): Promise<void>;
  /** Undoes {@link standAlone}, because there is no successor. */
  stay(): void;
  /** From now on, passes all requests to `handler`. */
  divert(handler: ConnectionHandler): void;
  /** Lets running requests finish, then closes everything except client sockets. */
  release(): Promise<void>;
  /** Stops listening and closes client connections after their responses. */
  close(): Promise<void>;
  /** Serves again because the successor has exited. @throws if the data directory is unusable. */
  resume(): Promise<Answering>;
  /** Called with the reason if neither the successor nor this platform can serve. */
  onFailure(reason: Error): void;
  log(line: PlatformLog): void;
}

type Link = MessageLink<FromSuccessor, FromPredecessor>;

function unshare({ port, httpsPort }: Leaving): void {
  for (const each of [port, httpsPort]) {
    if (each !== undefined) endSharing(each);
  }
}

function share(leaving: Leaving): FromPredecessor {
  const { port, httpsPort } = leaving;
  const http = sharePort(port);
  if (http === 0) {
    const reason = `this system (${Deno.build.os}) does not let two processes share a port`;
    return { type: "refused", reason };
  }
  const https = httpsPort === undefined ? 0 : sharePort(httpsPort);
  return { type: "shared", port, httpsPort, sockets: { http, https } };
}

async function waitAtMost(ms: number, promise: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  try {
    await Promise.race([promise, delay(ms, undefined, { signal: late.signal })]);
  } finally {
    late.abort();
  }
}

/** Waits while clients move to the successor. Throws if the successor exits in the meantime. */
async function linger(link: Link): Promise<void> {
  const ended = link.receive();
  ended.catch(() => {});
  await waitAtMost(LINGER_MS, ended);
}

/** Serves again. This platform then handles the requests that were waiting for the successor. */
async function comeBack(passer: RequestPasser, leaving: Leaving, reason: string): Promise<void> {
  unshare(leaving);
  try {
    passer.answerBy(await leaving.resume());
    const message = `The new platform did not start: ${reason}. This one continues`;
    leaving.log({ level: "error", message });
  } catch (cause) {
    const failure = new HandoverError(
      `The new platform did not start: ${reason}. This one cannot continue: ` +
        messageOf(cause),
      { cause },
    );
    passer.fail(failure);
    leaving.onFailure(failure);
    await leaving.close();
  }
}

/** Leaves, or serves again if the successor exits before it has taken over. */
async function leave(link: Link, leaving: Leaving): Promise<void> {
  const onTrouble = (message: string) => leaving.log({ level: "warn", message });
  const passer = new RequestPasser(onTrouble);
  leaving.divert(passer.pass);
  await leaving.release();
  await link.send({ type: "released" });
  try {
    const { requests } = await link.receive("ready");
    passer.passTo(requests);
    await linger(link);
  } catch (error) {
    await comeBack(passer, leaving, messageOf(error));
    return passer.close();
  }
  for (const port of [leaving.port, leaving.httpsPort]) {
    if (port !== undefined) stopReceiving(port);
  }
  await leaving.close();
  await link.send({ type: "closed" });
  passer.close();
}

async function meet(conn: Deno.Conn, leaving: Leaving): Promise<void> {
  const link: Link = new MessageLink(conn, successorSchema);
  try {
    const { pid } = await link.receive("replace");
    // The system distributes connections among all sockets on a port, so there must be no other
    // sockets.
    await leaving.standAlone();
    const shared = share(leaving);
    try {
      await link.send(shared);
      if (shared.type === "refused") return leaving.stay();
      await link.receive("listening");
    } catch (error) {
      unshare(leaving);
      leaving.stay();
      const message = `Process ${pid} did not take over: ${messageOf(error)}`;
      return leaving.log({ level: "warn", message });
    }
    leaving.log({ level: "info", message: `Process ${pid} is taking over` });
    await leave(link, leaving);
  } catch (error) {
    leaving.log({ level: "error", message: `Cannot hand over: ${messageOf(error)}` });
  } finally {
    link.close();
  }
}

/** Waits for successors on the socket and serves one at a time. */
export function offerHandover(path: string, leaving: Leaving): { close(): void } {
  const listener = Deno.listen({ transport: "unix", path });
  const serve = async () => {
    for await (const conn of listener) await meet(conn, leaving);
  };
  // Accepting fails when the socket is closed.
  serve().catch(() => {});
  return {
    close() {
      try {
        listener.close();
      } catch { /* closed already */ }
    },
  };
}
