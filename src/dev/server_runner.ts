/** @module One of the project's servers, running with its environment. */
import { stripVTControlCharacters } from "node:util";
import { unusedPort } from "../lib/unused_port.ts";
import type { DevOptions } from "./options.ts";
import type { Inspectors } from "./inspectors.ts";
import { DevCommand } from "./process/dev_command.ts";
import type { ServerAddress } from "./process/announced_address.ts";
import { serverEnvironment } from "./server_environment.ts";

export interface ServerProgram {
  /** The server's name in messages, such as `dev server`. */
  readonly name: string;
  /** Shell command line. */
  readonly command: string;
  /** The command to show to the user. */
  readonly shown: string;
  /** The configured port. */
  readonly port: number | undefined;
  readonly host: string | undefined;
  readonly inspectorPort: number | undefined;
}

interface RunnerParts {
  /** Variables of the local services. */
  readonly local: Readonly<Record<string, string>>;
  readonly inspectors: Inspectors;
  /** Ports that do not belong to the server. */
  readonly notIts: ReadonlySet<number>;
  /** Called when the server listens, or has exited. */
  readonly changed: () => void;
}

/** Number of recent output lines to keep for the page that explains why the server exited. */
const LAST_LINES = 40;

const capitalized = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

export class ServerRunner {
  readonly #command: DevCommand;
  #output: string[] = [];

  readonly #options: DevOptions;
  readonly #program: ServerProgram;
  readonly #parts: RunnerParts;

  constructor(options: DevOptions, program: ServerProgram, parts: RunnerParts) {
    this.#options = options;
    this.#program = program;
    this.#parts = parts;
    const { report } = options;
    const { name, shown } = program;
    this.#command = new DevCommand({
      name,
      start: () => this.#describeStart(),
      listening: ({ port }, milliseconds) => {
        parts.changed();
        const said = `${capitalized(name)} on port ${port}, after ${Math.round(milliseconds)} ms`;
        report.say("info", said);
      },
      ended: (how) => {
        parts.changed();
        report.crashed(`The ${name} ${how}: ${shown}`);
      },
    });
  }

  get address(): Promise<ServerAddress | string> {
    return this.#command.address;
  }

  /** The reason why there is no server, or `undefined` if the server is running or starting. */
  get problem(): string | undefined {
    return this.#command.problem;
  }

  /** The last lines that the server printed, without colors. */
  get output(): readonly string[] {
    return this.#output;
  }

  start(): void {
    this.#output = [];
    this.#options.report.say("info", `Running ${this.#program.shown}`);
    this.#command.start();
  }

  stop(): Promise<void> {
    return this.#command.stop();
  }

  kill(): void {
    this.#command.kill();
  }

  #describeStart() {
    const { env, variables, directory, inspect, report } = this.#options;
    const program = this.#program;
    const parts = this.#parts;
    const port = program.port ?? unusedPort();
    const { heldBack, env: whole } = serverEnvironment({
      env,
      variables,
      directory,
      inspect,
      port,
      local: parts.local,
      inspectorPort: program.inspectorPort,
      host: program.host,
    });
    if (heldBack.length > 0) {
      report.say(
        "warn",
        `Skipped these variables, because they control which code runs: ${heldBack.join(", ")}`,
      );
    }
    return {
      command: program.command,
      cwd: directory,
      env: whole,
      wanted: { hostname: program.host ?? "localhost", port },
      fixed: program.port !== undefined,
      notIts: new Set([...parts.notIts, ...Object.values(parts.inspectors)]),
      onLine: (line: string) => {
        this.#output.push(stripVTControlCharacters(line));
        if (this.#output.length > LAST_LINES) this.#output.shift();
        report.output(line);
      },
    };
  }
}
