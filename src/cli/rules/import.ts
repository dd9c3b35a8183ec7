import { Option } from "@commander-js/extra-typings";
import { basename, dirname } from "node:path";
import { createFolderReader, detectFlavor, readOptionalText } from "../../build/mod.ts";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import {
  type AppendedRules,
  appendRules,
  type ImportFlavor,
  importHeaders,
  importNetlifyToml,
  importRedirects,
  type ImportResult,
  importVercelJson,
  importWrangler,
  loadRulesToml,
  parseRulesToml,
  type Rule,
  UnreadableImportError,
} from "../../rules/mod.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { describeSettings, reportImport, writeSettings } from "../projects/offer_import.ts";
import { openProjectFolder } from "../projects/project_folder.ts";
import type { Context } from "../session/context.ts";
import { showPath } from "../session/paths.ts";
import { formatCount } from "../terminal/format.ts";
import { readSource, reportWarnings, type RulesSource } from "./rules_file.ts";

const FORMATS = ["redirects", "headers", "vercel", "netlify", "wrangler"] as const;
type Format = (typeof FORMATS)[number];

/** The formats that a file's name identifies. */
const NAMES: Readonly<Record<string, Format>> = {
  "_redirects": "redirects",
  "_headers": "headers",
  "vercel.json": "vercel",
  "netlify.toml": "netlify",
  "wrangler.toml": "wrangler",
  "wrangler.json": "wrangler",
  "wrangler.jsonc": "wrangler",
};

const FLAVORS = ["netlify", "cloudflare"] as const;

function formatOf(path: string, given: Format | undefined): Format {
  const format = given ?? NAMES[basename(path)];
  if (format !== undefined) return format;
  throw new CliError("usage", `Unknown format of ${basename(path)}: use --format`, {
    hint: `Recognized names: ${Object.keys(NAMES).join(", ")}`,
  });
}

function convert(text: string, format: Format, flavor: ImportFlavor): ImportResult {
  switch (format) {
    case "redirects":
      return importRedirects(text, { flavor });
    case "headers":
      return importHeaders(text, { flavor });
    case "vercel":
      return importVercelJson(text);
    case "netlify":
      return importNetlifyToml(text);
    case "wrangler":
      return importWrangler(text);
  }
}

/** Matches characters that indicate that the text was not UTF-8. */
const NO_TEXT = /[\0\uFFFD]/;

/** Imports a text file. Throws for binary files and wrong formats. */
function readable({ shown, source }: RulesSource, run: () => ImportResult): ImportResult {
  const refused = (reason: string, cause?: unknown) =>
    new CliError("rules_invalid", `Cannot read ${shown}: ${reason}. Nothing was written`, {
      cause,
    });
  if (NO_TEXT.test(source)) throw refused("It is not UTF-8 text");
  try {
    return run();
  } catch (error) {
    if (error instanceof UnreadableImportError) throw refused(error.message, error);
    throw error;
  }
}

interface ImportedFile {
  readonly shown: string;
  readonly result: ImportResult;
}

interface ImportFlags {
  readonly format?: Format | undefined;
  readonly flavor?: ImportFlavor | undefined;
}

/**
 * Imports a file. Where hosts differ, uses the semantics that `flags` name, or else those of the
 * host that the file's folder or its parent folder is configured for.
 */
async function importFile(
  ctx: Context,
  given: string,
  flags: ImportFlags,
): Promise<ImportedFile> {
  const file = await readSource(ctx, ctx.path(given));
  const format = formatOf(file.path, flags.format);
  const folder = dirname(file.path);
  const flavor = flags.flavor ??
    await detectFlavor([folder, dirname(folder)].map((path) => createFolderReader(path)));
  const isShared = format === "redirects" || format === "headers";
  if (isShared && flavor === "cloudflare") {
    ctx.ui.note(`Read ${file.shown} with Cloudflare semantics`);
  }
  const result = readable(file, () => convert(file.source, format, flavor));
  reportImport(ctx, file.shown, result);
  return { shown: file.shown, result };
}

/** Appends rules to the existing rules of the output file, or replaces them. */
async function addTo(
  ctx: Context,
  output: string | undefined,
  { rules, force }: { readonly rules: readonly Rule[]; readonly force: boolean },
): Promise<AppendedRules> {
  const there = output === undefined || force ? undefined : await readOptionalText(output);
  const appended = appendRules(there, rules);
  if (appended !== undefined) return appended;
  const shown = output === undefined ? "the output" : showPath(output, ctx);
  if (there !== undefined && parseRulesToml(there).ruleSet !== undefined) {
    throw new CliError("rules_invalid", `Cannot add rules to ${shown}: nothing was written`, {
      hint: "Use [[rules]] tables, and at most 10,000 of them",
    });
  }
  await confirm(ctx, {
    force,
    question: `Replace ${shown}?`,
    wanted: `Confirm the replacement of ${shown}, which has no valid rules`,
    declined: "Nothing written",
  });
  const alone = appendRules(undefined, rules);
  if (alone !== undefined) return alone;
  throw new CliError(
    "rules_invalid",
    "Too many rules: a set has at most 10,000. Import fewer files",
  );
}

/** Writes settings next to the rules, or prints them with the rules. */
async function saveSettings(
  ctx: Context,
  output: string | undefined,
  files: readonly ImportedFile[],
): Promise<void> {
  for (const { shown, result } of files) {
    if (Object.keys(result.settings).length === 0) continue;
    if (output === undefined) {
      ctx.ui.note(`From ${shown}, for [static] in svc.toml: ${describeSettings(result.settings)}`);
    } else await writeSettings(ctx, await openProjectFolder(ctx, dirname(output)), result);
  }
}

/** Summarizes the imported files. Each remark names its file. */
function sumOf(files: readonly ImportedFile[]) {
  const remarks = (key: "unsupported" | "notes") =>
    files.flatMap(({ shown, result }) => result[key].map((one) => ({ file: shown, ...one })));
  return {
    read: files.reduce((sum, { result }) => sum + result.read, 0),
    imported: files.reduce((sum, { result }) => sum + result.imported, 0),
    unsupported: remarks("unsupported"),
    settings: files.reduce((all, { result }) => ({ ...result.settings, ...all }), {}),
    notes: remarks("notes"),
  };
}

export default defineCommand({
  description:
    "Reads _redirects and _headers files from Netlify or Cloudflare, netlify.toml, vercel.json and wrangler files. Entries without an equivalent are skipped and reported with their line and the reason. New rules are added after the existing rules of the output. With --output, settings for page URLs are written to [static] in svc.toml.",
  define: (command) =>
    command
      .argument("<files...>", "files to import, in rule order")
      .option("--output <file>", "add the rules to this file instead of printing them")
      .addOption(
        new Option("--format <format>", "format (default: detected from the file name)").choices(
          FORMATS,
        ),
      )
      .addOption(
        new Option(
          "--flavor <flavor>",
          "semantics to use where the two hosts differ (default: cloudflare next to a wrangler file, otherwise netlify)",
        ).choices(FLAVORS),
      )
      .option("--force", "replace the output instead of adding to it"),
  examples: [
    ["rules import _redirects", "print the rules"],
    [
      "rules import _redirects _headers --output svc.rules.toml",
      "add the rules of both files to svc.rules.toml",
    ],
  ],
  async run({ args: [given], flags }, ctx) {
    const files: ImportedFile[] = [];
    for (const path of given) files.push(await importFile(ctx, path, flags));
    const sum = sumOf(files);
    const { read, imported, unsupported } = sum;
    if (imported === 0 && read > 0) {
      const names = files.map(({ shown }) => shown).join(", ");
      throw new CliError("rules_invalid", `Cannot import ${names}: nothing was written`, {
        hint: `None of the ${read} entries has an equivalent`,
        details: { read, imported, unsupported },
      });
    }
    const output = flags.output === undefined ? undefined : ctx.path(flags.output);
    const rules = files.flatMap(({ result }) => result.ruleSet.rules);
    const { ruleSet, toml, added, present } = await addTo(ctx, output, {
      rules,
      force: flags.force === true,
    });
    if (output !== undefined && rules.length > 0) await writeFileAtomically(output, toml);
    await saveSettings(ctx, output, files);
    const { diagnostics } = loadRulesToml(toml);
    const shown = output === undefined ? "the rules" : showPath(output, ctx);
    reportWarnings(ctx, { path: output ?? "", shown, source: toml }, diagnostics);
    const there = present === 0 ? "" : `, ${formatCount(present, "rule")} already there`;
    ctx.ui.done(
      "build",
      `Read ${read}: ${imported} imported as ${formatCount(rules.length, "rule")}, ` +
        `${unsupported.length} skipped${there}`,
    );
    ctx.ui.result(
      { ruleSet, toml, ...sum, added, present, diagnostics, output: output ?? null },
      output === undefined ? toml.trimEnd() : "",
    );
  },
});
