/**
 * Which walls around builds this machine offers, found by trying them.
 *
 * @module
 */
import { join } from "node:path";
import { BUILD_PROBE } from "../../../lib/build_process.ts";
import { DEFAULT_BUILD_UID } from "./build_limits.ts";
import { type BuildProgram, buildProgram } from "./program.ts";
import { usersBetween } from "./end_processes.ts";
import { type SandboxKind, type SandboxRun, startSandbox } from "./sandbox.ts";

/**
 * Walls neither held nor failed in time. Weaker ones are no answer to that: a
 * machine that is slow for a moment would have them until its next start.
 */
export class SandboxUndecidedError extends Error {
  override readonly name = "SandboxUndecidedError";
}

/** What trying one kind of walls showed. */
type Trial = "hold" | "fail" | "late";

/**
 * How long walls may take to answer, in milliseconds: longer the second time,
 * since the machine may be busy, or the program not yet in its caches.
 */
const PATIENCE_MS: readonly number[] = [15_000, 60_000];

/**
 * Users that a trial can have, counted from the first of builds: above those of
 * builds, as everything of a user ends with what it tried.
 */
const TRIAL_USERS = { from: 100, to: 200 } as const;

export interface ProbeOptions {
  /** Folder that may be written. */
  readonly folder: string;
  readonly program: BuildProgram;
  /** First user of builds. */
  readonly uid: number;
  readonly hidden: readonly string[];
  /** The operator allows builds without walls. */
  readonly open: boolean;
  /** The only kind that is tried. */
  readonly only?: SandboxKind;
  /** How long each attempt at one kind may take, in milliseconds; 15 seconds, then 60 where missing. */
  readonly patienceMs?: readonly number[];
}

/**
 * Finds the best walls that work here; `undefined` where there are none.
 *
 * @throws {SandboxUndecidedError} where the machine is too busy to know.
 */
export async function findSandbox(options: ProbeOptions): Promise<SandboxKind | undefined> {
  const possible: readonly SandboxKind[] = Deno.uid() === 0
    ? ["namespaces", "user"]
    : ["own_namespaces"];
  const kinds = possible.filter((kind) => options.only === undefined || kind === options.only);
  if (Deno.build.os === "linux") {
    for (const kind of kinds) if (await hold(kind, options)) return kind;
  }
  return options.open ? "open" : undefined;
}

async function hold(kind: SandboxKind, options: ProbeOptions): Promise<boolean> {
  const { patienceMs = PATIENCE_MS } = options;
  for (const limitMs of patienceMs) {
    const trial = await tryOut(kind, options, limitMs);
    if (trial !== "late") return trial === "hold";
  }
  const seconds = Math.round(patienceMs.reduce((sum, each) => sum + each, 0) / 1000);
  throw new SandboxUndecidedError(
    `The walls around builds did not answer in ${seconds} seconds: the machine is too busy. ` +
      "Try again later",
  );
}

async function tryOut(kind: SandboxKind, options: ProbeOptions, limitMs: number): Promise<Trial> {
  const folder = await Deno.makeTempDir({ dir: options.folder, prefix: "probe-" });
  let isLate = false;
  try {
    const run = await probeRun(folder, options);
    const { program, hidden } = options;
    const { child, end } = startSandbox(run, { kind, program, hidden });
    const timer = setTimeout(() => {
      isLate = true;
      // Whether it ended is judged below.
      end().catch(() => {});
    }, limitMs);
    try {
      const [stdout] = await Promise.all([
        new Response(child.stdout).text(),
        child.stderr.cancel(),
      ]);
      if (stdout.includes(BUILD_PROBE)) return "hold";
    } finally {
      clearTimeout(timer);
      await end();
    }
    return isLate ? "late" : "fail";
  } catch {
    return isLate ? "late" : "fail";
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
}

/** A user as whom nothing runs: no build, and no trial of another program. */
function freeUser(first: number): number {
  const { from, to } = TRIAL_USERS;
  const taken = usersBetween(first + from, first + to);
  const begin = crypto.getRandomValues(new Uint8Array(1))[0]!;
  for (let count = 0; count < to - from; count++) {
    const uid = first + from + (begin + count) % (to - from);
    if (!taken.has(uid)) return uid;
  }
  throw new SandboxUndecidedError("All users that could try the walls around builds are taken");
}

async function probeRun(folder: string, options: ProbeOptions): Promise<SandboxRun> {
  const { program } = options;
  const root = join(folder, "root");
  await Deno.mkdir(root);
  await Deno.chmod(folder, 0o711);
  return {
    uid: freeUser(options.uid),
    root,
    shown: [],
    // The program itself is what must run, not only a shell.
    command: [...program.command, BUILD_PROBE],
    env: { HOME: "/tmp", ...program.env },
    limits: { processes: 256, fileBytes: 2 ** 30 },
  };
}

/**
 * Finds the sandbox that builds of the present user would get, without a
 * platform; `undefined` where builds would be refused.
 *
 * @throws {SandboxUndecidedError} where the machine is too busy to know.
 */
export async function probeBuildSandbox(
  env: Readonly<Record<string, string | undefined>>,
): Promise<SandboxKind | undefined> {
  const folder = await Deno.makeTempDir({ prefix: "svc-sandbox-" });
  try {
    await Deno.chmod(folder, 0o711);
    return await findSandbox({
      folder,
      program: buildProgram(env),
      uid: DEFAULT_BUILD_UID,
      hidden: [],
      open: false,
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
