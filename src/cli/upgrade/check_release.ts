/** @module Checks for a newer release in a separate process. */
import { systemClock } from "../../lib/clock.ts";
import { findRelease, TRUSTED_KEYS } from "../../release/mod.ts";
import { EXIT } from "../exit_code.ts";
import type { Context } from "../session/context.ts";
import { installedProgram } from "./installed_program.ts";
import { readState, writeState } from "./notice.ts";
import { findOwner } from "./package_owner.ts";
import { placeFor } from "./release_place.ts";

/** Maximum duration of a check, in milliseconds. */
const SEARCH_MS = 30_000;

interface LatestRelease {
  readonly place: string;
  readonly version: string;
  /** The command that upgrades this program. */
  readonly command: string;
}

/** Asks for the latest release. Returns `undefined` if there is no URL for releases. */
export async function latestRelease(
  { env, fetch, signal }: Pick<Context, "env" | "fetch" | "signal">,
): Promise<LatestRelease | undefined> {
  const place = placeFor(env);
  if (place === undefined) return undefined;
  const { version } = await findRelease({ place, keys: TRUSTED_KEYS, fetch, signal });
  const owner = await findOwner((await installedProgram()).path);
  return { place, version, command: owner?.command ?? "svc upgrade" };
}

async function checkRelease(path: string, request: typeof fetch): Promise<void> {
  const place = placeFor(Deno.env.toObject());
  if (place === undefined) return;
  const state = { ...await readState(path), checkedAt: systemClock() };
  // The state is stored first, so that even an unreachable server is asked only once a day.
  await writeState(path, state);
  const signal = AbortSignal.timeout(SEARCH_MS);
  const release = await findRelease({ place, keys: TRUSTED_KEYS, fetch: request, signal });
  const owner = await findOwner((await installedProgram()).path);
  await writeState(path, {
    ...await readState(path),
    latest: release.version,
    ...(owner === undefined ? {} : { command: owner.command }),
  });
}

/** Writes the latest release to the file that the notice reads, and exits. */
export async function runReleaseCheck(path: string, request: typeof fetch): Promise<never> {
  try {
    await checkRelease(path, request);
  } catch {
    Deno.exit(EXIT.failure);
  }
  Deno.exit(EXIT.success);
}
