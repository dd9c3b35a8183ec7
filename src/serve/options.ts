/** A platform's options, and the interface for a running platform. @module */

import type { Clock } from "../lib/clock.ts";
import type { Environment } from "../lib/network_variables.ts";
import type { OpenBuilds, SandboxKind } from "../platform/builds/mod.ts";
import type { Minutes } from "../platform/cron/minutes.ts";
import type { PlatformLog } from "../platform/core/log.ts";
import type { SandboxSupport } from "../runtime/mod.ts";
import type { GivenSettings, Settings } from "../settings/mod.ts";

/** Inputs that are not settings: the process's environment, and the parts that tests replace. */
interface Surroundings {
  /** The process's environment. Project code gets only selected variables. */
  readonly env: Environment;
  readonly version: string;
  log(line: PlatformLog): void;
  /** The counter for unhandled errors, if the process handles them. */
  readonly unhandledErrors?: { readonly count: number };
  /** The settings file, which may contain secrets. */
  readonly configFile?: string;
  /**
   * Certificates (PEM) of authorities that rewrites and functions trust in addition to the
   * system's.
   */
  readonly upstreamCa?: readonly string[];
  /** The clock for records, sessions and rate limits; by default, the machine's clock. */
  readonly now?: Clock;
  /**
   * The clock for scheduled tasks, which are checked each minute; by default, the machine's clock.
   */
  readonly minutes?: Minutes;
  /**
   * Opens git and the build runner, for builds on other machines; by default, the platform's own.
   */
  readonly openBuilds?: OpenBuilds;
  /** The system's support for server sandboxes; probed by default. */
  readonly servers?: { readonly support?: SandboxSupport };
  /** The only kind of sandbox that builds try; by default, the best available one. */
  readonly builds?: { readonly sandbox?: SandboxKind };
}

/** Settings that only the command itself uses. */
type OfCommand = "upstreamCaFile" | "logFormat";

/** The given options, as described in the table of settings. */
export type PlatformOptions = Omit<GivenSettings, OfCommand> & Surroundings;

/** The options with all defaults filled in. */
export type CompleteOptions = Omit<Settings, OfCommand> & Surroundings;

export interface RunningPlatform {
  /** Base URL of the API and the web pages. */
  readonly url: string;
  readonly port: number;
  /** Port of the HTTPS listener; `undefined` if there is none. */
  readonly httpsPort: number | undefined;
  /** The first API key, if it was created during this start. */
  readonly token: string | undefined;
  /**
   * One-time URL where the owner sets a password: a secret, printed for the person who starts svc.
   */
  readonly ownerLink: string | undefined;
  /** Serves one host's site for every request and hides everything else. Used for previews. */
  showOnly(hostname: string): void;
  /**
   * Reports this node as not ready, then continues to serve until load balancers have noticed.
   * Returns immediately if this is the only node.
   */
  leave(): Promise<void>;
  /** Waits until requests in progress have finished, then closes everything. */
  shutdown(): Promise<void>;
  /** Resolves when the platform has stopped. */
  readonly finished: Promise<void>;
}
