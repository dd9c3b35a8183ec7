/**
 * The process of an edge that shares its platform's port and exits when the platform exits.
 *
 * @module
 */
import { join } from "node:path";
import { loadGeo } from "../../edge/mod.ts";
import { forgiveClosedSocketReads } from "../../lib/closed_socket_reads.ts";
import { keepDescriptors } from "../../lib/descriptors.ts";
import { leaveSignalsToPlatform } from "../../lib/leave_signals.ts";
import type { PlatformLog } from "../../platform/core/log.ts";
import { EdgeFiles, platformFiles } from "../front_edge/edge_files.ts";
import { type FollowingEdge, followPlatform, listenFor } from "../front_edge/front_edge.ts";
import { type Listeners, ORIGIN_HOST } from "../listeners.ts";
import { type EdgeSetup, type FromEdge, messagesOf, type ToEdge, toEdge } from "./wire.ts";

const encoder = new TextEncoder();

function send(message: FromEdge): void {
  Deno.stdout.writeSync(encoder.encode(`${JSON.stringify(message)}\n`));
}

/** An edge that is stopping is expected to lose its connection to the platform. */
let isStopping = false;

const log = ({ level, message }: PlatformLog): void => {
  if (!isStopping) send({ type: "log", level, message });
};

async function follow(name: string, setup: EdgeSetup): Promise<FollowingEdge> {
  const { files: root, cacheBytes: maxBytes, geoip, asn } = setup;
  const edge = await followPlatform({
    ...setup,
    join: new URL(`http://${ORIGIN_HOST}:${setup.originPort}`),
    files: (parts) =>
      root === undefined
        ? EdgeFiles.open({ ...parts, root: join(setup.cacheDir, name), maxBytes })
        : platformFiles(root, parts.client),
    geo: await loadGeo({ geoip, asn }, { warn: (message) => log({ level: "warn", message }) }),
    isLocal: true,
    // The platform on the same machine decides when the edge must stop.
    refuseAfterMs: 0,
    log,
  });
  await edge.ready;
  return edge;
}

class LocalEdge {
  #running: { readonly setup: EdgeSetup; readonly edge: FollowingEdge } | undefined;
  #listeners: Listeners | undefined;

  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  async take(message: ToEdge): Promise<void> {
    if (message.type === "setup") {
      this.#running = { setup: message, edge: await follow(this.#name, message) };
      send({ type: "ready" });
    }
    if (message.type === "listen" && this.#running !== undefined) {
      const { setup, edge } = this.#running;
      this.#listeners = await listenFor(edge, { ...setup, sharesPort: true, log });
      send({ type: "listening" });
    }
    if (message.type === "leave") await this.#listeners?.leave();
    if (message.type === "stop") await this.#stop();
  }

  async #stop(): Promise<never> {
    isStopping = true;
    const closed = this.#listeners?.close();
    await this.#listeners?.finished;
    send({ type: "left" });
    await closed;
    await this.#running?.edge.close();
    Deno.exit(0);
  }
}

/** Runs the edge that messages on standard input describe, until the input ends. */
export async function runLocalEdge(name: string): Promise<never> {
  leaveSignalsToPlatform();
  keepDescriptors();
  forgiveClosedSocketReads();
  const edge = new LocalEdge(name);
  let work = Promise.resolve();
  for await (const message of messagesOf(Deno.stdin.readable, toEdge)) {
    work = work.then(() => edge.take(message)).catch((error) => {
      log({ level: "error", message: `${error}` });
      Deno.exit(1);
    });
  }
  // The platform has exited, so its port must become free for the next platform.
  Deno.exit(1);
}
