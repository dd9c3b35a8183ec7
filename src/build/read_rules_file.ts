/** @module The `svc.rules.toml` next to `svc.toml`. */
import { join } from "node:path";
import { hasErrors } from "../lib/diagnostic.ts";
import { formatCount } from "../lib/format.ts";
import { ifMissing } from "../lib/missing_files.ts";
import { NotUtf8Error, readTextFile, utf8Diagnostic } from "../lib/utf8.ts";
import type { RuleSet, Surroundings } from "../rules/mod.ts";
import { BuildError } from "./build_error.ts";
import type { BuildHost } from "./types.ts";

export const RULES_FILE = "svc.rules.toml";

export interface RulesFile {
  /** Absolute path. */
  readonly path: string;
  readonly ruleSet: RuleSet;
}

/** Loads the code for rules, which projects without rules do not need. */
const loadRules = () => import("../rules/mod.ts");

/**
 * Reads a text file. Returns `undefined` if there is none.
 *
 * @throws {NotUtf8Error} with `shown` as the name of the file, and the position of the first
 * invalid byte
 */
export async function readOptionalText(path: string, shown = path): Promise<string | undefined> {
  return await readTextFile(path, shown).catch(ifMissing);
}

async function parseRules(host: BuildHost, path: string, surroundings: Surroundings) {
  const file = host.showPath(path);
  const source = await readOptionalText(path, file).catch((error) => {
    if (!(error instanceof NotUtf8Error)) throw error;
    throw new BuildError("rules_invalid", `Fix ${RULES_FILE}: it is not UTF-8`, {
      found: { file, diagnostics: [utf8Diagnostic(error.fault)] },
    });
  });
  if (source === undefined) return undefined;
  const { parseRulesToml } = await loadRules();
  const { ruleSet, diagnostics } = parseRulesToml(source, surroundings);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (ruleSet === undefined || hasErrors(diagnostics)) {
    throw new BuildError(
      "rules_invalid",
      `Fix ${RULES_FILE}: it has ${formatCount(errors.length, "error")}`,
      {
        found: { file, source, diagnostics },
      },
    );
  }
  return { ruleSet, findings: { file, source, diagnostics } };
}

/**
 * Reads and validates a folder's rules. Returns `undefined` if the folder has none. Shows warnings
 * and throws errors, both with their line and column.
 */
export async function readRulesFile(
  host: BuildHost,
  directory: string,
): Promise<RulesFile | undefined> {
  const path = join(directory, RULES_FILE);
  // Only the build shows which folders have a page.
  const parsed = await parseRules(host, path, { hasFolderPage: () => false });
  if (parsed === undefined) return undefined;
  const { ruleSet, findings } = parsed;
  if (findings.diagnostics.length > 0) host.warn(findings);
  return { path, ruleSet };
}

/** Checks a folder's rules against the functions that the build found. */
export async function checkRuleFunctions(
  host: BuildHost,
  directory: string,
  functions: readonly string[],
): Promise<void> {
  await parseRules(host, join(directory, RULES_FILE), { functions });
}

/**
 * Warns about folders that the rules protect, but whose page is still public at the path without a
 * slash.
 */
export async function warnOpenFolders(
  host: BuildHost,
  directory: string,
  hasFolderPage: Surroundings["hasFolderPage"],
): Promise<void> {
  const parsed = await parseRules(host, join(directory, RULES_FILE), { hasFolderPage });
  if (parsed === undefined) return;
  const { findings } = parsed;
  const { OPEN_FOLDER_PAGE } = await loadRules();
  const diagnostics = findings.diagnostics.filter(({ code }) => code === OPEN_FOLDER_PAGE);
  if (diagnostics.length > 0) host.warn({ ...findings, diagnostics });
}
