/** Takes over the ports and the data directory from the running platform. @module */
import { setTimeout as delay } from "node:timers/promises";
import { isServed } from "../../platform/core/store/mod.ts";
import { attractConnections, endSharing } from "../../platform/core/listener/mod.ts";
import { findControl } from "./handover_folder.ts";
import {
  type FromPredecessor,
  type FromSuccessor,
  HandoverError,
  MessageLink,
  predecessorSchema,
} from "./messages.ts";

type Shared = Extract<FromPredecessor, { readonly type: "shared" }>;
type Refused = Extract<FromPredecessor, { readonly type: "refused" }>;

/** The sockets that a platform listens on. */
interface Ports {
  readonly port: number;
  readonly httpsPort: number | undefined;
}

type Link = MessageLink<FromPredecessor, FromSuccessor>;

/**
 * Maximum number of attempts to reach a platform that is itself starting or being replaced, and the
 * pause between two attempts in milliseconds.
 */
const [ATTEMPTS, AGAIN_MS] = [60, 250];

const SILENT =
  "Cannot replace the running platform: it is not responding. It may be an older version: stop it, then start this one";

async function connect(dataDir: string): Promise<Link | undefined> {
  const path = await findControl(dataDir);
  if (path === undefined) return undefined;
  try {
    return new MessageLink(await Deno.connect({ transport: "unix", path }), predecessorSchema);
  } catch {
    return undefined;
  }
}

/** Sends a takeover request. Returns the response; `undefined` if the platform stops first. */
async function ask(link: Link): Promise<Shared | Refused | undefined> {
  await link.send({ type: "replace", pid: Deno.pid });
  try {
    return await link.receive("shared", "refused");
  } catch {
    return undefined;
  }
}

export class Takeover {
  readonly #link: Link;
  readonly #shared: Shared;

  private constructor(link: Link, shared: Shared) {
    this.#link = link;
    this.#shared = shared;
  }

  /**
   * Asks the running platform to share its ports. Returns `undefined` if none is running.
   *
   * @throws {HandoverError}
   */
  static async begin(dataDir: string): Promise<Takeover | undefined> {
    for (let attempt = 1;; attempt++) {
      const link = await connect(dataDir);
      if (link !== undefined) {
        const answer = await ask(link);
        if (answer?.type === "shared") return new Takeover(link, answer);
        link.close();
        if (answer !== undefined) {
          throw new HandoverError(`Cannot replace the running platform: ${answer.reason}`);
        }
      }
      if (!await isServed(dataDir)) return undefined;
      if (attempt === ATTEMPTS) throw new HandoverError(SILENT);
      await delay(AGAIN_MS);
    }
  }

  /**
   * Returns the ports to listen on: port 0, which stands for any free port, becomes the running
   * platform's port.
   */
  portsFor<Ports extends { readonly port: number; readonly httpsPort?: number }>(
    ports: Ports,
  ): Ports {
    const { port, httpsPort } = this.#shared;
    return {
      ...ports,
      port: ports.port === 0 ? port : ports.port,
      ...(ports.httpsPort === 0 && httpsPort !== undefined ? { httpsPort } : {}),
    };
  }

  /** Waits until the data directory is free. Until then, clients use the other platform. */
  async takeOver(): Promise<void> {
    await this.#link.send({ type: "listening" });
    await this.#link.receive("released");
  }

  /**
   * Accepts new connections and reports that this platform is ready. `closed` resolves once the
   * other process has stopped listening.
   */
  async ready(
    requests: string,
    ports: Ports,
  ): Promise<{ readonly closed: Promise<void> }> {
    for (const port of [ports.port, ports.httpsPort]) {
      if (port === undefined) continue;
      const others = this.#socketsOn(port);
      if (others > 0) attractConnections(port, others);
    }
    await this.#link.send({ type: "ready", requests });
    const closed = this.#link.receive("closed").catch(() => {}).then(() => {
      this.#link.close();
      for (const port of [ports.port, ports.httpsPort]) {
        if (port !== undefined) endSharing(port);
      }
    });
    return { closed };
  }

  /** Returns the number of the running platform's sockets on the port. */
  #socketsOn(port: number): number {
    const { sockets, port: http, httpsPort } = this.#shared;
    if (port === http) return sockets.http;
    return port === httpsPort ? sockets.https : 0;
  }

  /** Aborts the takeover, before {@link ready}. */
  abandon(): void {
    this.#link.close();
  }
}
