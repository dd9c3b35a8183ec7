/**
 * What is known of the place where a rules file will run: the project's
 * functions, and whether the platform can find the network of an address.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { RULES_FILE } from "../build/mod.ts";
import { endpoints } from "../contract/mod.ts";
import { ASN_UNKNOWN, loadRulesToml, type Surroundings } from "../rules/mod.ts";
import type { Context } from "./context.ts";
import { reportWarnings, type RulesSource } from "./rules_folder.ts";

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

/** The functions beside a rules file; `undefined` where another file has no `functions/` beside it. */
async function findNames(path: string): Promise<readonly string[] | undefined> {
  const { findFunctions } = await import("../runtime/mod.ts");
  const { functions } = await findFunctions(dirname(path));
  const isProjectFile = path.endsWith(join("/", RULES_FILE));
  return functions.length === 0 && !isProjectFile ? undefined : functions.map(({ name }) => name);
}

/** Warns of conditions on networks in a rules file, where the platform knows none. */
export async function warnOfAsn(ctx: Context, file: RulesSource): Promise<void> {
  const hasAsn = await findAsn(ctx, file.source);
  if (hasAsn !== false) return;
  const { diagnostics } = loadRulesToml(file.source, { hasAsn });
  reportWarnings(ctx, file, diagnostics.filter(({ code }) => code === ASN_UNKNOWN));
}

/** What is known of the place where a rules file will run. */
export async function surroundingsOf(ctx: Context, file: RulesSource): Promise<Surroundings> {
  const [functions, hasAsn] = await Promise.all([
    findNames(file.path),
    findAsn(ctx, file.source),
  ]);
  return { functions, hasAsn };
}
