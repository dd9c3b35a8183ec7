/**
 * Upgrading the program itself, and noticing that there is a newer one. Nothing of it is
 * loaded before it is needed.
 *
 * @module
 */
import type { Context, Host } from "../session/mod.ts";
import type { LatestRelease } from "./check_release.ts";

export { UPGRADE } from "./group.ts";

/** Shows the notice of a newer release where one is due. */
export async function mindReleases(argv: readonly string[], host: Host): Promise<void> {
  const notice = await import("./notice.ts");
  await notice.mindReleases(argv, host);
}

/** Looks for a newer release, notes it in the file `path`, and ends the process. */
export async function runReleaseCheck(path: string, request: typeof fetch): Promise<never> {
  const check = await import("./check_release.ts");
  return await check.runReleaseCheck(path, request);
}

/** Asks for the latest release; `undefined` where no place of releases is known. */
export async function latestRelease(
  ctx: Pick<Context, "env" | "fetch" | "signal">,
): Promise<LatestRelease | undefined> {
  const check = await import("./check_release.ts");
  return await check.latestRelease(ctx);
}
