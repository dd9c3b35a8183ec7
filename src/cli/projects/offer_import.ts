/** @module Offers once to import another host's configuration. */
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { hasErrors } from "../../lib/diagnostic.ts";
import type { ImportableFile } from "../../build/mod.ts";
import type { ImportResult, RuleSet } from "../../rules/mod.ts";
import type { Prompter } from "../prompts/prompter.ts";
import type { Context } from "../session/context.ts";
import { showPath } from "../session/paths.ts";
import { formatCount, printable } from "../terminal/format.ts";
import { writeProjectFile } from "./bind_folder.ts";
import { openProjectFolder, type ProjectFolder } from "./project_folder.ts";

/** Reports which entries of an imported file have no equivalent, or behave differently here. */
export function reportImport(
  ctx: Context,
  shown: string,
  { unsupported, notes }: ImportResult,
): void {
  const say = (kind: string) => ({ line, text, reason }: ImportResult["notes"][number]) =>
    ctx.ui.log("build", "warn", printable(`${shown}:${line}: ${kind}: ${reason}: ${text}`));
  unsupported.forEach(say("skipped"));
  notes.forEach(say("imported, but"));
}

const formatEntries = (count: number): string => count === 1 ? "1 entry" : `${count} entries`;

interface RulesFile {
  readonly path: string;
  /** The text of the file, or `undefined` if there is none. */
  readonly source: string | undefined;
  readonly rules: RuleSet | undefined;
}

/**
 * Reads the rules of the project. Returns `undefined` if they are invalid, because the build
 * explains that.
 */
async function readRules({ directory }: ProjectFolder): Promise<RulesFile | undefined> {
  const [{ readOptionalText }, { parseRulesToml }] = await Promise.all([
    import("../../build/mod.ts"),
    import("../../rules/mod.ts"),
  ]);
  const path = join(directory, RULES_FILE);
  const source = await readOptionalText(path).catch(() => null);
  if (source === null) return undefined;
  if (source === undefined) return { path, source, rules: undefined };
  const { ruleSet: rules, diagnostics } = parseRulesToml(source);
  return rules === undefined || hasErrors(diagnostics) ? undefined : { path, source, rules };
}

const RULES_FILE = "svc.rules.toml";

/** Writes the settings of an imported file to `svc.toml`. Existing settings do not change. */
export async function writeSettings(
  ctx: Context,
  { directory }: ProjectFolder,
  result: ImportResult,
): Promise<void> {
  const { missingSettings } = await import("../../build/mod.ts");
  // Another file may have been imported since the folder was read.
  const folder = await openProjectFolder(ctx, directory);
  const settings = missingSettings(result, folder.config?.static);
  if (Object.keys(settings).length === 0) return;
  await writeProjectFile(folder, { static: settings });
  ctx.ui.done("build", `Set [static] ${describeSettings(settings)} in svc.toml`);
}

/** Formats the settings as they appear in `svc.toml`. */
export function describeSettings({ trailingSlash, cleanUrls }: ImportResult["settings"]): string {
  return [
    ...(trailingSlash === undefined ? [] : [`trailing_slash = "${trailingSlash}"`]),
    ...(cleanUrls === undefined ? [] : [`clean_urls = ${cleanUrls}`]),
  ].join(", ");
}

async function writeImport(
  ctx: Context,
  { path, result }: ImportableFile,
  { rules, folder }: {
    readonly rules: { readonly path: string; readonly text: string };
    readonly folder: ProjectFolder;
  },
): Promise<void> {
  if (result.ruleSet.rules.length > 0) await writeFileAtomically(rules.path, rules.text);
  await writeSettings(ctx, folder, result);
  reportImport(ctx, path, result);
  const { ruleSet, imported, unsupported } = result;
  const taken = `${formatEntries(imported)} as ${formatCount(ruleSet.rules.length, "rule")}`;
  const skipped = unsupported.length === 0 ? "" : `, ${unsupported.length} skipped`;
  ctx.ui.done(
    "build",
    `Imported ${path} into ${showPath(rules.path, ctx)}: ${taken}${skipped}`,
  );
}

/**
 * Asks about each file, and imports the accepted ones. Does not ask about files whose rules cannot
 * be added automatically, because the build reports those files.
 *
 * @returns the paths of declined files
 */
async function askAbout(
  ctx: Context,
  prompter: Prompter,
  { folder, files }: {
    readonly folder: ProjectFolder;
    readonly files: readonly ImportableFile[];
  },
): Promise<readonly string[]> {
  const declined: string[] = [];
  for (const file of files) {
    const rules = await readRules(folder);
    const { appendRules } = await import("../../rules/mod.ts");
    const text = rules && appendRules(rules.source, file.result.ruleSet.rules)?.toml;
    if (rules === undefined || text === undefined) continue;
    const count = formatEntries(file.result.imported);
    const message =
      `${file.path} configures another hosting platform. Import its ${count} into ${RULES_FILE}?`;
    const wanted = await prompter.confirm({ message, initial: true });
    if (wanted) await writeImport(ctx, file, { rules: { path: rules.path, text }, folder });
    else declined.push(file.path);
  }
  return declined;
}

/**
 * Asks the user at the terminal about each configuration file of another host whose rules are not
 * in the project.
 *
 * @returns the folder with its current settings
 */
export async function offerImport(ctx: Context, given: ProjectFolder): Promise<ProjectFolder> {
  const { prompter } = ctx;
  if (prompter === undefined) return given;
  // The command may have written `svc.toml` since it was read.
  const folder = await openProjectFolder(ctx, given.directory);
  const { createFolderReader, findImportable } = await import("../../build/mod.ts");
  const rules = await readRules(folder);
  if (rules === undefined) return folder;
  const known = folder.config?.build.notImported ?? [];
  const found = await findImportable(createFolderReader(folder.directory), {
    rules: rules.rules,
    static: folder.config?.static,
  });
  const files = found.filter(({ path }) => !known.includes(path));
  const declined = await askAbout(ctx, prompter, { folder, files });
  if (declined.length === 0) return folder;
  await writeProjectFile(folder, { build: { notImported: [...known, ...declined] } });
  return await openProjectFolder(ctx, folder.directory);
}
