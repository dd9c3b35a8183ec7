/** @module Puts a server's process into the kernel's sandbox before its code is loaded. */
import { dirname, join } from "node:path";
import { filterSystemCalls } from "./connect_supervisor.ts";
import { dropRights } from "../../kernel/drop_rights.ts";
import { type FileRule, restrictFiles } from "../../kernel/landlock.ts";
import { limitDescriptors } from "../../kernel/limit_descriptors.ts";
import type { LocalRoute, Peer } from "../../kernel/local_routes.ts";
import { openLibc } from "../../kernel/libc.ts";
import { READABLE_BY_DENO } from "../../kernel/system_paths.ts";
import { systemNameservers } from "../../kernel/judge_connect.ts";
import { missingSandbox, type SandboxState } from "./sandbox_support.ts";

export interface SandboxOptions {
  /** The deployment's folder. */
  readonly directory: string;
  /** The process's private folder, for its sockets. */
  readonly folder: string;
  /** The folder for temporary files. */
  readonly tmp: string;
  /** Files of the program itself. */
  readonly runtime: readonly string[];
  readonly allowPrivate: boolean;
  readonly peers: readonly Peer[];
  /** Loopback ports that are redirected. */
  readonly routes: readonly LocalRoute[];
  /** Called with the source port of a connection to an announced route. */
  readonly announce: (port: number) => void;
}

const read = (path: string): FileRule => ({ path, rights: "read" });

/** Puts this thread, and all threads that it starts from now on, into the sandbox. */
export function enterSandbox(options: SandboxOptions): SandboxState {
  const libc = openLibc();
  if (libc === undefined) {
    return { files: false, calls: false, reason: "It needs Linux with the GNU C library" };
  }
  if (!dropRights(libc)) {
    return { files: false, calls: false, reason: "The process cannot drop its privileges" };
  }
  limitDescriptors(libc);
  const files = restrictFiles(libc, [
    read(options.directory),
    { path: options.folder, rights: "sockets" },
    { path: options.tmp, rights: "temporary" },
    { path: "/dev/null", rights: "read_write" },
    ...options.runtime.map(read),
    ...READABLE_BY_DENO.map(read),
    // The runtime searches all folders above the working directory, and fails at the first folder
    // that it cannot read.
    read(join(dirname(options.directory), "package.json")),
  ]);
  const calls = filterSystemCalls(libc, {
    nameservers: systemNameservers(),
    allowPrivate: options.allowPrivate,
    peers: options.peers,
    routes: options.routes,
  }, options.announce);
  const missing = missingSandbox({ files, calls });
  return {
    files,
    calls,
    ...(missing.length === 0 ? {} : { reason: `The kernel rejects ${missing.join(", and ")}` }),
  };
}
