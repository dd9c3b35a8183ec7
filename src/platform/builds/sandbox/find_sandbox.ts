/** Finds the sandbox that this machine offers to builds, by trying each kind. @module */
import { join } from "node:path";
import { BUILD_PROBE } from "../../../lib/build_process.ts";
import { makeHeldFolder } from "../../../lib/held_folders.ts";
import { DEFAULTS } from "../../../settings/mod.ts";
import { type BuildProgram, buildProgram, programVariables } from "./program.ts";
import { usersBetween } from "./end_processes.ts";
import { hasOwnRoot, type SandboxKind, type SandboxRun, startSandbox } from "./sandbox.ts";

/**
 * The machine was too slow to tell whether a sandbox works. The platform does not fall back to a
 * weaker sandbox, because it would keep using that sandbox.
 */
export class SandboxUndecidedError extends Error {
  override readonly name = "SandboxUndecidedError";
}

type Trial = "works" | "fails" | "late";

/** Time within which a sandbox must respond, in milliseconds; longer on the second attempt. */
const PATIENCE_MS: readonly number[] = [15_000, 60_000];

/** User IDs for trials, above the user IDs for builds. A trial kills all processes of its user. */
const TRIAL_USERS = { from: 100, to: 200 } as const;

export interface ProbeOptions {
  /** A writable folder. */
  readonly folder: string;
  readonly program: BuildProgram;
  /** First user ID for builds. */
  readonly uid: number;
  readonly hidden: readonly string[];
  /** Whether the operator allows builds without a sandbox. */
  readonly open: boolean;
  /** The only kind that is tried; by default, all kinds are tried. */
  readonly only?: SandboxKind;
  /** Timeout for each attempt to start a kind, in milliseconds; by default 15 s, then 60 s. */
  readonly patienceMs?: readonly number[];
}

/** @throws {SandboxUndecidedError} if the machine is too busy to tell. */
export async function findSandbox(options: ProbeOptions): Promise<SandboxKind | undefined> {
  const possible: readonly SandboxKind[] = Deno.uid() === 0
    ? ["namespaces", "user"]
    : ["own_namespaces"];
  const kinds = possible.filter((kind) => options.only === undefined || kind === options.only);
  if (Deno.build.os === "linux") {
    for (const kind of kinds) if (await works(kind, options)) return kind;
  }
  return options.open ? "open" : undefined;
}

async function works(kind: SandboxKind, options: ProbeOptions): Promise<boolean> {
  const { patienceMs = PATIENCE_MS } = options;
  for (const limitMs of patienceMs) {
    const trial = await tryOut(kind, options, limitMs);
    if (trial !== "late") return trial === "works";
  }
  const seconds = Math.round(patienceMs.reduce((sum, each) => sum + each, 0) / 1000);
  throw new SandboxUndecidedError(
    `The sandbox for builds did not start within ${seconds} seconds: the machine is too busy. ` +
      "Try again later",
  );
}

async function tryOut(kind: SandboxKind, options: ProbeOptions, limitMs: number): Promise<Trial> {
  const folder = await Deno.makeTempDir({ dir: options.folder, prefix: "probe-" });
  let isLate = false;
  try {
    const run = await probeRun(folder, { ...options, kind });
    const { program, hidden } = options;
    const { child, end } = startSandbox(run, { kind, program, hidden });
    const timer = setTimeout(() => {
      isLate = true;
      // Failures are ignored here, because `end()` is awaited again below.
      end().catch(() => {});
    }, limitMs);
    try {
      const [stdout] = await Promise.all([
        new Response(child.stdout).text(),
        child.stderr.cancel(),
      ]);
      if (stdout.includes(BUILD_PROBE)) return "works";
    } finally {
      clearTimeout(timer);
      await end();
    }
    return isLate ? "late" : "fails";
  } catch {
    return isLate ? "late" : "fails";
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
}

/** Returns a user that has no processes and is not used by a build or another trial. */
function freeUser(first: number): number {
  const { from, to } = TRIAL_USERS;
  const taken = usersBetween(first + from, first + to);
  const begin = crypto.getRandomValues(new Uint8Array(1))[0]!;
  for (let count = 0; count < to - from; count++) {
    const uid = first + from + (begin + count) % (to - from);
    if (!taken.has(uid)) return uid;
  }
  throw new SandboxUndecidedError(
    "Cannot test the sandbox for builds: all users for it are in use. Try again later",
  );
}

async function probeRun(
  folder: string,
  options: ProbeOptions & { readonly kind: SandboxKind },
): Promise<SandboxRun> {
  const { kind, program } = options;
  const root = join(folder, "root");
  await Deno.mkdir(root);
  await Deno.chmod(folder, 0o711);
  return {
    uid: freeUser(options.uid),
    root,
    shown: [],
    // The program itself must work in the sandbox, not just a shell.
    command: [...program.command, BUILD_PROBE],
    env: { HOME: "/tmp", ...programVariables(program, { ownRoot: hasOwnRoot(kind) }) },
    limits: { processes: 256, fileBytes: 2 ** 30 },
  };
}

/** Finds the sandbox for the current user, without a platform. @throws {SandboxUndecidedError} */
export async function probeBuildSandbox(
  env: Readonly<Record<string, string | undefined>>,
): Promise<SandboxKind | undefined> {
  await using folder = await makeHeldFolder("sandbox");
  await Deno.chmod(folder.path, 0o711);
  return await findSandbox({
    folder: folder.path,
    program: buildProgram(env),
    uid: DEFAULTS.builds.firstUid,
    hidden: [],
    open: false,
  });
}
