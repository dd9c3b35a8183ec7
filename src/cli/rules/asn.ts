/**
 * Whether the platform can find the network (ASN) of an address, which some
 * rules ask for.
 *
 * @module
 */
import { endpoints } from "../../contract/mod.ts";
import type { Context } from "../session/mod.ts";

/** Longest wait for the platform to say what it can do, in milliseconds. */
const PATIENCE_MS = 2000;

/** Rules that may ask for a network; others need no answer. */
const ASKS_FOR_ASN = /\basn\b/;

/**
 * Whether the platform that is set up can find the network (ASN) of an address;
 * `undefined` where the text does not ask for it, or nobody answers.
 */
export async function findAsn(ctx: Context, text: string): Promise<boolean | undefined> {
  if (!ASKS_FOR_ASN.test(text)) return undefined;
  const { method, path, response } = endpoints.getHealth;
  try {
    const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const answer = await ctx.fetch(new URL(path, ctx.apiUrl), { method, signal });
    return response.parse(await answer.json()).knowsNetworks;
  } catch (error) {
    if (ctx.signal.aborted) throw ctx.signal.reason;
    const reason = error instanceof Error ? error.message : String(error);
    ctx.ui.debug("build", `Could not ask ${ctx.apiUrl} for an ASN database: ${reason}`);
    return undefined;
  }
}

/**
 * Warns of conditions on networks in the rules file at `path`, where the
 * platform knows none. The parser of rules is loaded only now.
 */
export async function warnOfAsn(ctx: Context, path: string): Promise<void> {
  const [{ readRulesSource, reportWarnings }, { ASN_UNKNOWN, loadRulesToml }] = await Promise.all([
    import("./rules_file.ts"),
    import("../../rules/mod.ts"),
  ]);
  const file = await readRulesSource(ctx, path);
  const hasAsn = await findAsn(ctx, file.source);
  if (hasAsn !== false) return;
  const { diagnostics } = loadRulesToml(file.source, { hasAsn });
  reportWarnings(ctx, file, diagnostics.filter(({ code }) => code === ASN_UNKNOWN));
}
