/** @module The checks that `svc doctor` runs on the machine itself. */
import { compare } from "semver";
import { messageOf } from "../../lib/error_message.ts";
import { machineMemory } from "../../lib/machine_memory.ts";
import { readTextFile } from "../../lib/utf8.ts";
import { formatBytes } from "../terminal/format.ts";
import type { Context } from "../session/context.ts";
import type { Point } from "./point.ts";

/**
 * Minimum number of files that a process must be able to open, because each connection from a
 * visitor or to a server uses a file descriptor.
 */
const LEAST_FILES = 4096;
const LEAST_MEMORY = 512 * 1024 * 1024;
/** The default port of `svc serve`. */
const USUAL_PORT = 8787;
const RELEASE_MS = 5000;

/** Checks how many files a process can open, according to `/proc/self/limits`. */
export function judgeOpenFiles(limits: string): Point | undefined {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === undefined) return undefined;
  const name = "open files";
  const found = `a process can have ${soft} open files`;
  if (soft === "unlimited" || Number(soft) >= LEAST_FILES) return { name, state: "ok", found };
  return {
    name,
    state: "warn",
    found,
    advice:
      "Raise the limit (ulimit -n 65536, or LimitNOFILE= in the service): each connection counts as an open file",
  };
}

export function judgeMemory(bytes: number): Point {
  const name = "memory";
  const found = `${formatBytes(bytes)} for svc serve and its processes`;
  return bytes >= LEAST_MEMORY ? { name, state: "ok", found } : {
    name,
    state: "warn",
    found,
    advice: "Provide at least 512 MiB: servers, functions and builds need memory too",
  };
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== "";

/** Shows the proxy variables. Requests to this machine never use a proxy. */
export function judgeProxy(env: Context["env"]): Point | undefined {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
  const used = names.filter((each) => isSet(env[each]));
  if (used.length === 0) return undefined;
  const found = `requests go through the proxy in ${used.join(", ")}, except requests to this ` +
    `machine`;
  return { name: "proxy", state: "ok", found };
}

/** Checks the credentials file. */
export function judgeCredentials(
  path: string | undefined,
  { mode, warnings }: { readonly mode: number | null; readonly warnings: readonly string[] },
): Point | undefined {
  if (path === undefined) return undefined;
  const name = "credentials";
  if (mode !== null && (mode & 0o077) !== 0) {
    return {
      name,
      state: "fail",
      found: `${path} is accessible to others`,
      advice: `Restrict it: chmod 600 ${path}`,
    };
  }
  if (warnings.length === 0) {
    return { name, state: "ok", found: `${path} is accessible only to its owner` };
  }
  const advice = "Log in again: svc login";
  return { name, state: "warn", found: warnings.join("; "), advice };
}

async function examineCredentials({ credentials }: Context): Promise<Point | undefined> {
  const { path, warnings } = credentials;
  if (path === undefined) return undefined;
  const facts = await Deno.stat(path).catch(() => undefined);
  return facts === undefined ? undefined : judgeCredentials(path, { mode: facts.mode, warnings });
}

/** Tries to open the default port if no platform serves from the data directory. */
function examinePort(): Point {
  const name = "port";
  try {
    Deno.listen({ hostname: "127.0.0.1", port: USUAL_PORT }).close();
    return { name, state: "ok", found: `${USUAL_PORT} is free for svc serve` };
  } catch (error) {
    return {
      name,
      state: "warn",
      found: `${USUAL_PORT} cannot be used: ${messageOf(error)}`,
      advice: "Stop the program that uses the port, or choose another one: svc serve --port <port>",
    };
  }
}

/** Looks for a newer release, and gives up after a few seconds. */
async function examineRelease({ env, fetch, signal }: Context, own: string): Promise<Point> {
  const name = "program";
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(RELEASE_MS)]);
    const { latestRelease } = await import("../upgrade/check_release.ts");
    const latest = await latestRelease({ env, fetch, signal: limited });
    if (latest === undefined) return { name, state: "ok", found: `svc ${own}` };
    const { version, command } = latest;
    if (compare(version, own) <= 0) return { name, state: "ok", found: `svc ${own} is the latest` };
    const found = `svc ${own}; ${version} is available`;
    return { name, state: "warn", found, advice: `Run ${command}` };
  } catch (error) {
    return {
      name,
      state: "warn",
      found: `svc ${own}; cannot check for releases: ${messageOf(error)}`,
      advice: "Check the network, and SVC_RELEASES_URL if it is set",
    };
  }
}

/** Examines the machine. `isServed` is true if a platform serves from the data directory. */
export async function examineMachine(
  ctx: Context,
  { own, isServed }: { readonly own: string; readonly isServed: boolean },
): Promise<readonly Point[]> {
  const limits = await readTextFile("/proc/self/limits").catch(() => "");
  const points = [
    await examineRelease(ctx, own),
    judgeMemory(machineMemory()),
    judgeOpenFiles(limits),
    isServed ? undefined : examinePort(),
    judgeProxy(ctx.env),
    await examineCredentials(ctx),
  ];
  return points.filter((point) => point !== undefined);
}
