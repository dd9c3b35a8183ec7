/**
 * @module The notice about a newer release, shown to people at terminals at most once a day. No
 * command waits for the release check, because an earlier command ran it in the background.
 */
import { compare } from "semver";
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { RELEASE_CHECK_ARGUMENT } from "../../lib/process_arguments.ts";
import { spawnProgram } from "../../lib/spawn_program.ts";
import { readTextFile } from "../../lib/utf8.ts";
import { cacheFolder } from "../session/user_folders.ts";
import type { Host } from "../session/context.ts";
import { wantsJson } from "../session/global_flags.ts";
import { createPalette, wantsColor } from "../terminal/color.ts";
import { VERSION } from "../version.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const stateSchema = z.object({
  /** Time of the last release check, in milliseconds. */
  checkedAt: z.number().optional(),
  /** Time of the last notice to a person, in milliseconds. */
  noticedAt: z.number().optional(),
  /** The latest version that a check has found. */
  latest: z.string().regex(/^[0-9A-Za-z.-]{1,128}$/).optional(),
  /** The command that upgrades this program. */
  command: z.string().regex(/^[\w@ ./-]{1,128}$/).optional(),
});

export type ReleaseState = z.infer<typeof stateSchema>;

/** Returns the path of the state in the user's cache. */
function statePath(env: Host["env"]): string {
  return join(cacheFolder(env), "latest_release.json");
}

/** Reads the state. Returns an empty state if the file is missing or unreadable. */
export async function readState(path: string): Promise<ReleaseState> {
  try {
    return stateSchema.parse(JSON.parse(await readTextFile(path)));
  } catch {
    return {};
  }
}

export async function writeState(path: string, state: ReleaseState): Promise<void> {
  await writeFileAtomically(path, JSON.stringify(state), { mode: 0o600 });
}

/** Returns true once a day, and after the clock was set back. */
const isDue = (last: number | undefined, now: number): boolean =>
  last === undefined || now - last >= DAY_MS || last > now;

/** Decides whether to show a notice about a newer release after a command. */
export function decideNotice(
  state: ReleaseState,
  { now, version }: { readonly now: number; readonly version: string },
): { readonly notice: string | undefined; readonly check: boolean } {
  const { latest, command = "svc upgrade", noticedAt, checkedAt } = state;
  const isNewer = latest !== undefined && compare(latest, version) > 0;
  return {
    notice: isNewer && isDue(noticedAt, now)
      ? `svc ${latest} is available (you have ${version}). Run ${command}`
      : undefined,
    check: isDue(checkedAt, now),
  };
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== "";

/** Returns true if a person reads the output and has not disabled the notice. */
export function mayNotice(
  argv: readonly string[],
  { env, stdout, stderr }: Pick<Host, "env" | "stdout" | "stderr">,
): boolean {
  if (!stdout.isTerminal || !stderr.isTerminal || wantsJson(argv, env)) return false;
  return !isSet(env.CI) && !isSet(env.SVC_NO_UPDATE_CHECK) && argv[0] !== "upgrade";
}

/** Starts the release check without waiting for it. */
function startCheck(path: string): void {
  const child = spawnProgram(Deno.execPath(), {
    args: [RELEASE_CHECK_ARGUMENT, path],
    stdin: "null",
    stdout: "null",
    stderr: "null",
    // The process continues when the terminal closes, and Ctrl-C does not reach it.
    detached: true,
    clearEnv: true,
    env: Deno.env.toObject(),
  });
  child.unref();
}

/**
 * Shows a notice if one is due, and starts the next release check. Never makes the command fail.
 */
export async function mindReleases(argv: readonly string[], host: Host): Promise<void> {
  if (!mayNotice(argv, host)) return;
  try {
    const path = statePath(host.env);
    const state = await readState(path);
    const now = host.now();
    const { notice, check } = decideNotice(state, { now, version: VERSION });
    if (notice !== undefined) {
      const { dim } = createPalette(wantsColor(host.env, true));
      host.stderr.write(`${dim(notice)}\n`);
      await writeState(path, { ...state, noticedAt: now });
    }
    if (check) startCheck(path);
  } catch { /* an unusable cache should not disturb the user */ }
}
