/**
 * Manages edges on this machine that share the platform's port. The system distributes connections
 * among the edges' processes and this process. Each edge serves the requests that it can serve
 * itself. An edge that exits is replaced.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../lib/error_message.ts";
import type { Environment } from "../../lib/network_variables.ts";
import { joinPort, sharePort, stopAttracting } from "../../platform/core/listener/mod.ts";
import type { PlatformLog } from "../../platform/core/log.ts";
import type { LocalEdgeLink } from "../../platform/edges/mod.ts";
import { EdgeProcess } from "./edge_process.ts";
import type { EdgeSetup } from "./wire.ts";

/** Time to complete handshakes with an edge that is about to stop, in milliseconds. */
const HANDSHAKE_MS = 100;
/**
 * Maximum time for an edge to stop accepting connections, and then to finish its requests, in
 * milliseconds.
 */
const LEAVE_MS = 5000;
const FINISH_MS = 20_000;
/**
 * Delays before an edge is replaced, in milliseconds. An edge that has run for a while is replaced
 * after the shortest delay.
 */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 10_000;
const STEADY_MS = 10_000;

interface Slot {
  readonly name: string;
  process?: EdgeProcess | undefined;
  /** Missing if no process should run. An earlier process may still be finishing requests. */
  term?: symbol | undefined;
  isDrained: boolean;
  /** Resolves when the last process of the slot has exited. */
  kept: Promise<void>;
}

interface LocalEdgesOptions {
  readonly count: number;
  readonly link: LocalEdgeLink;
  readonly setup: Omit<EdgeSetup, "type" | "key">;
  readonly env: Environment;
  log(line: PlatformLog): void;
}

export class LocalEdges {
  readonly #slots: readonly Slot[];
  /** Makes edges start and stop sharing the port one at a time. */
  #steering: Promise<void> = Promise.resolve();

  readonly #options: LocalEdgesOptions;

  constructor(options: LocalEdgesOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.count }, (_, at) => ({
      name: `local-${at + 1}`,
      isDrained: false,
      kept: Promise.resolve(),
    }));
  }

  /** Starts all edges except those that have been drained. */
  start(): void {
    const { link } = this.#options;
    // The edge may be outdated without knowing it, so it must stop serving.
    link.onLost = (name) => {
      const slot = this.#find(name);
      if (slot?.term !== undefined) slot.process?.kill();
    };
    link.onDrained = (name, isDrained) => {
      const slot = this.#find(name);
      if (slot === undefined) return;
      slot.isDrained = isDrained;
      if (isDrained) void this.#stop([slot]);
      else this.#begin(slot);
    };
    for (const slot of this.#slots) if (!slot.isDrained) this.#begin(slot);
  }

  /** Makes the next response on each connection its last. */
  leave(): void {
    for (const { process } of this.#slots) process?.send({ type: "leave" });
  }

  /** Stops all edges from accepting connections, so this process receives all new connections. */
  async stop(): Promise<void> {
    await this.#stop(this.#slots);
  }

  /** Waits until all edges have finished their requests. */
  async close(): Promise<void> {
    await this.stop();
    await Promise.all(this.#slots.map(({ kept }) => kept));
  }

  #find(name: string): Slot | undefined {
    return this.#slots.find((slot) => slot.name === name);
  }

  #begin(slot: Slot): void {
    if (slot.term !== undefined) return;
    const term = slot.term = Symbol();
    slot.kept = slot.kept.then(() => this.#keep(slot, term));
  }

  /** Replaces the process of a slot whenever the process exits. */
  async #keep(slot: Slot, term: symbol): Promise<void> {
    const { log } = this.#options;
    let pauseMs = FIRST_PAUSE_MS;
    while (slot.term === term) {
      const began = performance.now();
      // Starting the process can fail, because a program file cannot be started for a moment after
      // it is replaced.
      const reason = await this.#run(slot, term).catch(messageOf);
      if (slot.term !== term) return;
      log({ level: "warn", message: `Front edge ${slot.name} exited (${reason}). Replacing it` });
      if (performance.now() - began > STEADY_MS) pauseMs = FIRST_PAUSE_MS;
      await delay(pauseMs);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    }
  }

  async #run(slot: Slot, term: symbol): Promise<string> {
    const { link, setup, env, log } = this.#options;
    const key = link.add(slot.name);
    const process = new EdgeProcess(slot.name, {
      setup: { type: "setup", key, ...setup },
      env,
      log,
    });
    slot.process = process;
    await process.until("ready");
    await this.#steer(async () => {
      if (slot.term !== term) return;
      if (joinPort(setup.port)) {
        process.send({ type: "listen" });
        return await process.killAfter(LEAVE_MS, process.until("listening"));
      }
      slot.term = undefined;
      process.kill();
      log({
        level: "warn",
        message: `No front edges were started: on ${Deno.build.os}, processes cannot share a port`,
      });
    });
    const reason = await process.ended;
    slot.process = undefined;
    return reason;
  }

  #steer(work: () => Promise<void>): Promise<void> {
    return this.#steering = this.#steering.then(work).catch((error) => {
      this.#options.log({
        level: "error",
        message: `Cannot control which process receives connections: ${error}`,
      });
    });
  }

  /**
   * Stops edges. In the meantime, new connections go to this process, so no connections are lost.
   */
  #stop(slots: readonly Slot[]): Promise<void> {
    const { setup: { port } } = this.#options;
    for (const slot of slots) slot.term = undefined;
    return this.#steer(async () => {
      const processes = slots.flatMap(({ process }) => process === undefined ? [] : [process]);
      if (processes.length === 0) return;
      sharePort(port);
      await delay(HANDSHAKE_MS);
      await Promise.all(processes.map(async (process) => {
        process.send({ type: "stop" });
        await process.killAfter(LEAVE_MS, process.until("left"));
        process.killAfter(FINISH_MS, process.ended).catch(() => {});
      }));
      stopAttracting(port);
    });
  }
}
