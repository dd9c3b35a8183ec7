import { Option } from "@commander-js/extra-typings";
import { basename } from "node:path";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import {
  importHeaders,
  importNetlifyToml,
  importRedirects,
  type ImportResult,
  importVercelJson,
  loadRulesToml,
  UnreadableImportError,
} from "../../rules/mod.ts";
import { confirm, defineCommand } from "../command/mod.ts";
import { CliError } from "../errors/mod.ts";
import { reportImport } from "../projects/mod.ts";
import { type Context, showPath } from "../session/mod.ts";
import { formatCount } from "../terminal/mod.ts";
import { readSource, reportWarnings, type RulesSource } from "./rules_file.ts";

const FORMATS = ["redirects", "headers", "vercel", "netlify"] as const;
type Format = (typeof FORMATS)[number];

/** File names that identify their format. */
const NAMES: Readonly<Record<string, Format>> = {
  "_redirects": "redirects",
  "_headers": "headers",
  "vercel.json": "vercel",
  "netlify.toml": "netlify",
};

const FLAVORS = ["netlify", "cloudflare"] as const;

function formatOf(path: string, given: Format | undefined): Format {
  const format = given ?? NAMES[basename(path)];
  if (format !== undefined) return format;
  throw new CliError("usage", `Name the format of ${basename(path)} with --format`, {
    hint: `Known by their names: ${Object.keys(NAMES).join(", ")}`,
  });
}

function convert(text: string, format: Format, flavor: (typeof FLAVORS)[number]): ImportResult {
  switch (format) {
    case "redirects":
      return importRedirects(text, { flavor });
    case "headers":
      return importHeaders(text, { flavor });
    case "vercel":
      return importVercelJson(text);
    case "netlify":
      return importNetlifyToml(text);
  }
}

/** What stands where a file was not text in UTF-8. */
const NO_TEXT = /[\0\uFFFD]/;

/** Imports text; a file that is none, or not of its format, is an error. */
function readable({ shown, source }: RulesSource, run: () => ImportResult): ImportResult {
  const refused = (reason: string, cause?: unknown) =>
    new CliError("rules_invalid", `Cannot read ${shown}: ${reason}. Nothing was written`, {
      ...(cause === undefined ? {} : { cause }),
    });
  if (NO_TEXT.test(source)) throw refused("It is not UTF-8 text");
  try {
    return run();
  } catch (error) {
    if (error instanceof UnreadableImportError) throw refused(error.message, error);
    throw error;
  }
}

async function assertMayWrite(ctx: Context, path: string, force: boolean): Promise<void> {
  const there = await Deno.lstat(path).then(() => true, () => false);
  if (!there || force) return;
  const shown = showPath(path, ctx);
  await confirm(ctx, {
    force,
    question: `Replace ${shown}?`,
    wanted: `Confirm the replacement of ${shown}`,
    declined: "Nothing written",
  });
}

export default defineCommand({
  description:
    "Reads a Netlify or Cloudflare _redirects or _headers file, a netlify.toml or a vercel.json. Entries " +
    "without an equivalent are skipped and reported, with their line and the reason.",
  define: (command) =>
    command
      .argument("<file>", "file to import")
      .option("--output <file>", "write the rules to this file instead of stdout")
      .addOption(
        new Option("--format <format>", "format (default: by the file's name)").choices(FORMATS),
      )
      .addOption(
        new Option("--flavor <flavor>", "whose semantics apply where the two differ")
          .choices(FLAVORS).default("netlify" as const),
      )
      .option("--force", "replace the output without asking"),
  examples: [
    ["rules import _redirects", "print the rules"],
    ["rules import vercel.json --output svc.rules.toml", "write them to a file"],
  ],
  async run({ args: [given], flags }, ctx) {
    const file = await readSource(ctx, ctx.path(given));
    const format = formatOf(file.path, flags.format);
    const result = readable(file, () => convert(file.source, format, flags.flavor));
    const { ruleSet, toml, unsupported, notes, read, imported } = result;
    reportImport(ctx, file.shown, result);
    if (imported === 0 && read > 0) {
      throw new CliError("rules_invalid", `Cannot import ${file.shown}: nothing was written`, {
        hint: `None of its ${read} entries has an equivalent`,
        details: { read, imported, unsupported },
      });
    }
    const { diagnostics } = loadRulesToml(toml);
    const output = flags.output === undefined ? undefined : ctx.path(flags.output);
    if (output !== undefined) {
      await assertMayWrite(ctx, output, flags.force === true);
      await writeFileAtomically(output, toml);
    }
    reportWarnings(ctx, {
      path: output ?? "",
      shown: output === undefined ? "the rules" : showPath(output, ctx),
      source: toml,
    }, diagnostics);
    ctx.ui.done(
      "build",
      `Read ${read}: ${imported} imported as ${formatCount(ruleSet.rules.length, "rule")}, ` +
        `${unsupported.length} skipped`,
    );
    ctx.ui.result(
      { ruleSet, toml, read, imported, unsupported, notes, diagnostics, output: output ?? null },
      output === undefined ? toml.trimEnd() : "",
    );
  },
});
