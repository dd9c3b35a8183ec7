/** @module Options and reports of a dev server. */
import type { BuildHost } from "../build/mod.ts";
import type { ProjectConfig } from "../config/project_config.ts";
import type { ObservedRequest } from "../edge/mod.ts";
import type { Assumed } from "./assumed_client.ts";

export type DevLevel = "info" | "warn" | "error";

/** A request in the log of `svc dev`. */
export interface LoggedRequest extends Omit<ObservedRequest, "decision" | "facts"> {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** IDs of the rules that took effect or were recorded, in order. */
  readonly rules: readonly string[];
}

/** The interface through which a dev server reports events. */
export interface DevReport {
  say(level: DevLevel, message: string): void;
  /** Called when the project's dev server has exited unexpectedly. */
  crashed(message: string): void;
  /** Called with each line of output from the project's own dev server, including colors. */
  output(line: string): void;
  request(request: LoggedRequest): void;
}

/**
 * State of the inspector for the project's server. `break` makes the server wait for a debugger.
 */
export type Inspect = "off" | "on" | "break";

export interface DevOptions {
  /** Absolute path of the project. */
  readonly directory: string;
  readonly config: ProjectConfig | undefined;
  /** The current folder, unless the user named a folder. */
  readonly standing: string | undefined;
  /** Command of the project's dev server. Without it, the project is served as files. */
  readonly command: string | undefined;
  /** The configured port of the dev server. If missing, it is detected. */
  readonly serverPort: number | undefined;
  readonly serverHost: string | undefined;
  /** The environment of this program. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables of the project, for its server and its functions. */
  readonly variables: Readonly<Record<string, string>>;
  readonly assumed: Assumed;
  readonly inspect: Inspect;
  /** Whether the project has functions for other platforms, which then have their own inspector. */
  readonly hasOtherFunctions: boolean;
  readonly allowPrivateUpstreams: boolean;
  readonly build: BuildHost;
  readonly report: DevReport;
  /** Listens on the requested port, or on another one if that port is taken. */
  readonly onPort: <T>(open: (port: number) => T) => Promise<T>;
}

export interface DevStart extends Omit<DevOptions, "variables"> {
  /** Returns the variables of the project for a server with this URL. */
  variablesAt(url: string): DevOptions["variables"];
}
