/** An edge process, as seen by the platform. @module */
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { messageOf } from "../../lib/error_message.ts";
import type { Environment } from "../../lib/network_variables.ts";
import { EDGE_PROCESS_ARGUMENT } from "../../lib/process_arguments.ts";
import { spawnProgram } from "../../lib/spawn_program.ts";
import type { PlatformLog } from "../../platform/core/log.ts";
import { type EdgeSetup, type FromEdge, fromEdge, messagesOf, type ToEdge } from "./wire.ts";

/** Environment variables to pass to the process. */
const KEPT = ["HOME", "DENO_DIR", "TMPDIR"];

function commandOf(name: string): readonly [string, ...string[]] {
  if (Deno.build.standalone) return [Deno.execPath(), EDGE_PROCESS_ARGUMENT, name];
  const main = fileURLToPath(new URL("../../../main.ts", import.meta.url));
  const flags = ["run", "--quiet", "--allow-all", "--no-check"];
  return [Deno.execPath(), ...flags, main, EDGE_PROCESS_ARGUMENT, name];
}

type Step = Exclude<FromEdge["type"], "log">;

export class EdgeProcess {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #steps = {
    ready: Promise.withResolvers<void>(),
    listening: Promise.withResolvers<void>(),
    left: Promise.withResolvers<void>(),
  };
  /** Resolves with the reason when the process has exited. */
  readonly ended: Promise<string>;

  constructor(
    name: string,
    { setup, env, log }: {
      readonly setup: EdgeSetup;
      readonly env: Environment;
      log(line: PlatformLog): void;
    },
  ) {
    const [program, ...args] = commandOf(name);
    const kept = KEPT.flatMap((each) => env[each] === undefined ? [] : [[each, env[each]]]);
    this.#child = spawnProgram(program, {
      args,
      env: { ...Object.fromEntries(kept), NO_COLOR: "1" },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    });
    this.#input = this.#child.stdin.getWriter();
    this.ended = this.#child.status.then(({ signal, code }) => signal ?? `code ${code}`);
    this.#read((line) => log({ ...line, message: `Front edge ${name}: ${line.message}` }));
    this.send(setup);
  }

  /** Sends a message. A message to a process that has exited is lost. */
  send(message: ToEdge): void {
    const line = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
    this.#input.write(line).catch(() => {});
  }

  /** Resolves when the process reports this state or has exited. */
  async until(step: Step): Promise<void> {
    await Promise.race([this.#steps[step].promise, this.ended]);
  }

  /** Kills the process immediately. */
  kill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch { /* it has exited */ }
  }

  /** Kills the process if a promise takes too long. */
  async killAfter(milliseconds: number, promise: Promise<unknown>): Promise<void> {
    const done = new AbortController();
    const late = delay(milliseconds, undefined, { signal: done.signal })
      .then(() => this.kill(), () => {});
    await promise;
    done.abort();
    await late;
  }

  async #readAll(log: (line: PlatformLog) => void): Promise<void> {
    for await (const message of messagesOf(this.#child.stdout, fromEdge)) {
      if (message.type === "log") log(message);
      else this.#steps[message.type].resolve();
    }
  }

  #read(log: (line: PlatformLog) => void): void {
    this.#readAll(log).catch((error) => {
      log({ level: "error", message: messageOf(error) });
      this.kill();
    });
  }
}
