/** @module Checks a rules file against its functions, its pages, and the platform. */
import { renderDiagnostic } from "../../lib/diagnostic.ts";
import { defineCommand } from "../command/command.ts";
import { formatCount, printable } from "../terminal/format.ts";
import { loadValidRules, readRulesSource, type RulesSource } from "./rules_file.ts";
import { dirname, join } from "node:path";
import { createFolderReader, RULES_FILE } from "../../build/mod.ts";
import { detectProject } from "../../manifest/mod.ts";
import { openProjectFolder } from "../projects/project_folder.ts";
import type { Context } from "../session/context.ts";
import type { Surroundings } from "../../rules/mod.ts";
import { findPlatform } from "./platform_facts.ts";

/**
 * Finds the functions next to a rules file. Returns `undefined` if there are none and the file is
 * not the project's `svc.rules.toml`.
 */
async function findNames(path: string): Promise<readonly string[] | undefined> {
  const { findFunctions } = await import("../../runtime/mod.ts");
  const { functions } = await findFunctions(dirname(path));
  const isProjectFile = path.endsWith(join("/", RULES_FILE));
  return functions.length === 0 && !isProjectFile ? undefined : functions.map(({ name }) => name);
}

/**
 * Returns a function that tells whether a folder's page is served without a redirect to a trailing
 * slash. Returns `undefined` if the folder of the rules file is not what a deploy would serve.
 */
async function findFolderPages(
  ctx: Context,
  path: string,
): Promise<((folder: string) => boolean) | undefined> {
  const directory = dirname(path);
  const { build, static: served } = (await openProjectFolder(ctx, directory)).config ?? {};
  if (build?.command !== undefined) return undefined;
  const written = build?.outputDirs ?? [];
  const outputDirs = written.length > 0
    ? written
    : (await detectProject(createFolderReader(directory), {})).outputDirs;
  if (outputDirs.join() !== ".") return undefined;
  // With other settings, the path without a slash redirects to the folder.
  if (served?.trailingSlash !== "never") return () => false;
  return (folder) => isFile(join(directory, folder, "index.html"));
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Collects facts about the folder of a rules file and about the platform. */
async function surroundingsOf(ctx: Context, file: RulesSource): Promise<Surroundings> {
  const [functions, platform, hasFolderPage] = await Promise.all([
    findNames(file.path),
    findPlatform(ctx, file.source),
    findFolderPages(ctx, file.path),
  ]);
  return { functions, ...platform, hasFolderPage };
}

export default defineCommand({
  define: (command) =>
    command.argument("[file]", "rules file (default: the project's svc.rules.toml)"),
  examples: [
    ["rules check", "validate svc.rules.toml"],
    ["rules check edge.toml --json", "validate another file, with problems as JSON"],
  ],
  async run({ args: [given] }, ctx) {
    const file = await readRulesSource(ctx, given);
    const { diagnostics, ruleSet } = loadValidRules(file, await surroundingsOf(ctx, file));
    for (const diagnostic of diagnostics) {
      const text = renderDiagnostic(diagnostic, { file: file.shown, source: file.source });
      ctx.ui.note(ctx.ui.colors.yellow(printable(text)));
    }
    const warnings = diagnostics.length === 0
      ? ""
      : `, ${formatCount(diagnostics.length, "warning")}`;
    ctx.ui.done(
      "build",
      `${file.shown} is valid: ${formatCount(ruleSet.rules.length, "rule")}${warnings}`,
    );
    ctx.ui.result(
      { file: file.path, valid: true, rules: ruleSet.rules.length, diagnostics },
      "",
    );
  },
});
