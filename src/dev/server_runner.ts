/**
 * The project's dev server, run with its environment.
 *
 * @module
 */
import { unusedPort } from "../lib/unused_port.ts";
import type { DevOptions } from "./options.ts";
import type { Inspectors } from "./inspectors.ts";
import { DevCommand } from "./process/dev_command.ts";
import type { ServerAddress } from "./process/announced_address.ts";
import { serverEnvironment } from "./server_environment.ts";

export interface RunnerParts {
  /** Variables of the local services. */
  readonly local: Readonly<Record<string, string>>;
  readonly inspectors: Inspectors;
  /** Ports that are not those of the dev server. */
  readonly notIts: ReadonlySet<number>;
  /** Called when the server listens, or has ended. */
  readonly changed: () => void;
}

export class ServerRunner {
  readonly #command: DevCommand;

  constructor(
    private readonly options: DevOptions,
    private readonly commandLine: string,
    private readonly parts: RunnerParts,
  ) {
    const { report } = options;
    this.#command = new DevCommand({
      start: () => this.#describeStart(),
      listening: ({ port }, milliseconds) => {
        parts.changed();
        report.say("info", `Dev server on port ${port}, after ${Math.round(milliseconds)} ms`);
      },
      ended: (how) => {
        parts.changed();
        report.crashed(`The dev server ${how}: ${commandLine}`);
      },
    });
  }

  get address(): Promise<ServerAddress | string> {
    return this.#command.address;
  }

  /** Why there is no server to ask; `undefined` where it runs or starts. */
  get problem(): string | undefined {
    return this.#command.problem;
  }

  start(): void {
    this.options.report.say("info", `Running ${this.commandLine}`);
    this.#command.start();
  }

  stop(): Promise<void> {
    return this.#command.stop();
  }

  kill(): void {
    this.#command.kill();
  }

  #describeStart() {
    const { env, variables, directory, inspect, report, ...dev } = this.options;
    const parts = this.parts;
    const port = dev.serverPort ?? unusedPort();
    const { heldBack, env: whole } = serverEnvironment({
      env,
      variables,
      directory,
      inspect,
      port,
      local: parts.local,
      inspectorPort: parts.inspectors.server,
      host: dev.serverHost,
    });
    if (heldBack.length > 0) {
      report.say("warn", `Left out, as they control which code runs: ${heldBack.join(", ")}`);
    }
    return {
      command: this.commandLine,
      cwd: directory,
      env: whole,
      wanted: { hostname: dev.serverHost ?? "localhost", port },
      fixed: dev.serverPort !== undefined,
      notIts: new Set([...parts.notIts, ...Object.values(parts.inspectors)]),
      onLine: (line: string) => report.output(line),
    };
  }
}
