/** The operator's settings for git builds. @module */
import { resolve } from "node:path";
import type { Environment } from "../../lib/network_variables.ts";
import type { BuildLimits } from "./sandbox/build_limits.ts";
import type { SandboxKind } from "./sandbox/sandbox.ts";

export interface BuildSettings {
  /** Lets builds run without a sandbox if the machine has none. */
  readonly allowUnsandboxed: boolean;
  /** The first user ID for builds, if the platform runs as root. */
  readonly firstUid: number;
  /** The only kind of sandbox that is tried. By default, the best kind available is used. */
  readonly sandbox?: SandboxKind;
  readonly limits: BuildLimits;
  /** Files and folders outside the data directory that builds cannot see. */
  readonly hidden: readonly string[];
}

/** Files that SQLite creates next to a database (SQLite, "Temporary Files"). */
const BESIDE_DATABASE = ["-wal", "-shm", "-journal"];

/** Matches a URL rather than a path. */
const ELSEWHERE = /^[a-z0-9+]+:\/\//i;

export function hiddenPlaces(
  { kv, blobs, keysFile, configFile, tls, env = {} }: {
    readonly kv?: string;
    readonly blobs?: string;
    readonly keysFile?: string;
    readonly configFile?: string;
    readonly env?: Environment;
    readonly tls?: { readonly keyFile: string };
  },
): string[] {
  const database = kv === undefined ? [] : [kv, ...BESIDE_DATABASE.map((end) => kv + end)];
  const files = [blobs, keysFile, configFile, tls?.keyFile, env.PGPASSFILE || undefined];
  const places = [...database, ...files].filter((path) => path !== undefined);
  return places.filter((path) => !ELSEWHERE.test(path)).map((path) => resolve(path));
}
