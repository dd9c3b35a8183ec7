/** @module The URL of the releases for this program. */
import { BUILT_IN_PLACE, type ReleasePlace, TRUSTED_KEYS } from "../../release/mod.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";

/**
 * Returns `SVC_RELEASES_URL`, or else the compiled-in URL. Returns `undefined` if there is neither.
 */
export function placeFor(env: Context["env"]): string | undefined {
  const given = env.SVC_RELEASES_URL;
  if (given === undefined || given === "") return BUILT_IN_PLACE;
  const url = URL.parse(given);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "") {
    return given;
  }
  throw new CliError(
    "usage",
    `SVC_RELEASES_URL must be an http or https URL without a query, such as https://downloads.example.com/svc, not ${
      JSON.stringify(given)
    }`,
  );
}

/** @throws {CliError} if there is no release URL. */
export function releasePlace(ctx: Pick<Context, "env" | "fetch" | "signal">): ReleasePlace {
  const place = placeFor(ctx.env);
  if (place === undefined) {
    throw new CliError(
      "release_unusable",
      "Cannot check for releases: this build has no release URL",
      {
        hint: "Set SVC_RELEASES_URL to the URL of the releases",
      },
    );
  }
  return { place, keys: TRUSTED_KEYS, fetch: ctx.fetch, signal: ctx.signal };
}
