/** @module The command of the project's dev server, which can be started, restarted and stopped. */
import { messageOf } from "../../lib/error_message.ts";
import { MissingProgramError } from "../../lib/spawn_program.ts";
import type { ServerAddress } from "./announced_address.ts";
import { type DevProcess, type DevProcessOptions, startDevProcess } from "./dev_process.ts";

interface DevCommandOptions {
  /** The server's name in messages, such as `dev server`. */
  readonly name: string;
  /** Options for each start. The port may differ each time. */
  readonly start: () => DevProcessOptions;
  readonly listening: (address: ServerAddress, milliseconds: number) => void;
  /** Called when the server exits unexpectedly. */
  readonly ended: (how: string) => void;
}

function describeEnd({ code, signal }: Deno.CommandStatus): string {
  return signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
}

export class DevCommand {
  #process: DevProcess | undefined;
  #address: Promise<ServerAddress | string> = Promise.resolve("It has not started");
  #problem: string | undefined;
  /**
   * Counts starts and stops. A start does nothing if another start or stop has been requested
   * since.
   */
  #run = 0;
  /** Resolves when earlier processes have exited. */
  #stopping: Promise<void> = Promise.resolve();

  readonly #options: DevCommandOptions;

  constructor(options: DevCommandOptions) {
    this.#options = options;
  }

  /** Resolves with the address when the server listens, or with the reason why it does not. */
  get address(): Promise<ServerAddress | string> {
    return this.#address;
  }

  /** Describes how the server exited, unless it was stopped or restarted. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Starts the command. A running process is stopped first. */
  start(): void {
    const ended = this.stop();
    const began = performance.now();
    this.#problem = undefined;
    const run = this.#run;
    this.#address = ended.then(() => run === this.#run ? this.#start(began) : this.#address);
  }

  /** Stops the process and everything that it started. */
  stop(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    this.#run++;
    this.#address = Promise.resolve("It was stopped");
    if (process !== undefined) {
      this.#stopping = Promise.all([this.#stopping, process.stop()]).then(() => {});
    }
    return this.#stopping;
  }

  /** Kills the process immediately. */
  kill(): void {
    this.#process?.kill();
  }

  async #start(began: number): Promise<ServerAddress | string> {
    let process: DevProcess;
    try {
      process = this.#process = startDevProcess(this.#options.start());
    } catch (error) {
      if (error instanceof MissingProgramError) return error.message;
      throw error;
    }
    process.ended.then(
      (status) => this.#onEnd(process, describeEnd(status)),
      (error) => this.#onEnd(process, `failed: ${messageOf(error)}`),
    );
    const address = await process.address;
    if (address === undefined) {
      return `The ${this.#options.name} ${describeEnd(await process.ended)} before it listened`;
    }
    if (this.#process === process) this.#options.listening(address, performance.now() - began);
    return address;
  }

  /** Reports an unexpected exit, and stops the remaining processes. */
  #onEnd(process: DevProcess, how: string): void {
    if (this.#process !== process) return;
    this.#process = undefined;
    this.#stopping = process.stop();
    this.#problem = `The ${this.#options.name} ${how}`;
    this.#address = Promise.resolve(this.#problem);
    this.#options.ended(how);
  }
}
