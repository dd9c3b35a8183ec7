/**
 * @module Finds out what a platform supports in rules: network and country lookups, and counts
 * across all nodes.
 */
import { getHealth } from "../../contract/system.ts";
import type { Context } from "../session/context.ts";
import type { Surroundings } from "../../rules/mod.ts";

/** Maximum time to wait for the platform's response, in milliseconds. */
const PATIENCE_MS = 2000;

/** Matches the text of rules that can depend on the platform. Other rules require no request. */
const ASKS_FOR_PLATFORM = /\b(?:asn|geo)\b|rate_limit/;

/**
 * Returns facts about the platform, or nothing if the rules do not depend on them or the platform
 * does not respond.
 */
export async function findPlatform(
  ctx: Context,
  text: string,
): Promise<Pick<Surroundings, "hasAsn" | "hasCountries" | "nodes">> {
  if (!ASKS_FOR_PLATFORM.test(text)) return {};
  const { method, path, response } = getHealth;
  try {
    const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const answer = await ctx.fetch(new URL(path, ctx.apiUrl), { method, signal });
    const { knowsNetworks, knowsCountries, nodes } = response.parse(await answer.json());
    return { hasAsn: knowsNetworks, hasCountries: knowsCountries, nodes };
  } catch (error) {
    if (ctx.signal.aborted) throw ctx.signal.reason;
    const reason = error instanceof Error ? error.message : String(error);
    ctx.ui.debug("build", `Could not check the rules against ${ctx.apiUrl}: ${reason}`);
    return {};
  }
}

/**
 * Warns about rules in the file at `path` that work differently on this platform: networks and
 * countries that it cannot look up, and limits across nodes. Loads the rule parser only when it is
 * needed.
 */
export async function warnOfPlatform(ctx: Context, path: string): Promise<void> {
  const [{ readRulesSource, reportWarnings }, rules] = await Promise.all([
    import("./rules_file.ts"),
    import("../../rules/mod.ts"),
  ]);
  const file = await readRulesSource(ctx, path);
  const { diagnostics } = rules.loadRulesToml(file.source, await findPlatform(ctx, file.source));
  const codes = new Set<string>([rules.ASN_UNKNOWN, rules.GEO_UNKNOWN, rules.LIMIT_PER_NODE]);
  reportWarnings(ctx, file, diagnostics.filter(({ code }) => codes.has(code)));
}
