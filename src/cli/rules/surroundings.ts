/**
 * What is known of the place where a rules file will run: the project's
 * functions, and whether the platform can find the network of an address.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { RULES_FILE } from "../../build/mod.ts";
import type { Surroundings } from "../../rules/mod.ts";
import type { Context } from "../session/mod.ts";
import { findAsn } from "./asn.ts";
import type { RulesSource } from "./rules_file.ts";

/** The functions beside a rules file; `undefined` where another file has no `functions/` beside it. */
async function findNames(path: string): Promise<readonly string[] | undefined> {
  const { findFunctions } = await import("../../runtime/mod.ts");
  const { functions } = await findFunctions(dirname(path));
  const isProjectFile = path.endsWith(join("/", RULES_FILE));
  return functions.length === 0 && !isProjectFile ? undefined : functions.map(({ name }) => name);
}

/** What is known of the place where a rules file will run. */
export async function surroundingsOf(ctx: Context, file: RulesSource): Promise<Surroundings> {
  const [functions, hasAsn] = await Promise.all([
    findNames(file.path),
    findAsn(ctx, file.source),
  ]);
  return { functions, hasAsn };
}
