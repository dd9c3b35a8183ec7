/** @module Warns about configuration files of other hosts, which have no effect here. */
import { basename, join } from "node:path";
import * as z from "zod";
import {
  findProjectSigns,
  MAX_CRON_TASKS,
  type ProjectReader,
  sourcesOf,
} from "../manifest/mod.ts";
import type { ImportFlavor, ImportResult, PageSettings, RuleSet } from "../rules/mod.ts";
import { createFolderReader } from "./folder_reader.ts";
import { detectFlavor } from "./foreign_flavor.ts";
import { FOREIGN_RULE_FILES, type ForeignRuleFile } from "./foreign_rule_files.ts";
import type { OutputContent } from "./hash_files.ts";
import { withoutConfiguration } from "./private_files.ts";
import { RULES_FILE } from "./read_rules_file.ts";
import type { BuildHost } from "./types.ts";

/** Folders to search: the project, and the folders from which frameworks copy files. */
const FOLDERS = ["", "public/", "static/"] as const;

/** Files that count as configuration in any folder of a site. */
const NEVER_SERVED = ["_redirects", "_headers"] as const;

const staticLayers = z.object({
  layers: z.array(z.object({ target: z.string(), directory: z.string() })),
});

const cronSchema = z.object({
  crons: z.array(z.object({ path: z.string().max(512), schedule: z.string().max(200) }))
    .min(1).max(MAX_CRON_TASKS * 10),
});

/** Returns the settings in a file that are missing from `svc.toml`. */
export function missingSettings(
  { settings }: ImportResult,
  declared: PageSettings = {},
): PageSettings {
  const { trailingSlash, cleanUrls } = settings;
  return {
    ...(trailingSlash === undefined || declared.trailingSlash !== undefined
      ? {}
      : { trailingSlash }),
    ...(cleanUrls === undefined || declared.cleanUrls !== undefined ? {} : { cleanUrls }),
  };
}

/** Settings of other hosts that the project already uses. */
interface TakenOver {
  readonly rules: RuleSet | undefined;
  /** `[static]` in `svc.toml`. */
  readonly static?: PageSettings | undefined;
}

/** Returns whether the project already has the rules and all settings of the file. */
function isTaken(result: ImportResult, { rules, static: declared }: TakenOver): boolean {
  if (Object.keys(missingSettings(result, declared)).length > 0) return false;
  const known = new Set(rules?.rules.map(({ id }) => id));
  const { ruleSet, settings } = result;
  return ruleSet.rules.some(({ id }) => known.has(id)) ||
    (ruleSet.rules.length === 0 && Object.keys(settings).length > 0);
}

/** A file that configures a different host. */
interface ForeignFile {
  /** Path relative to the project. */
  readonly path: string;
  readonly text: string;
  /** The result of the import, or `undefined` if the file cannot be read or has no rules. */
  readonly result: ImportResult | undefined;
  /** The reason why the file cannot be read. */
  readonly problem: string | undefined;
}

async function importFile(
  name: ForeignRuleFile,
  text: string,
  flavor: ImportFlavor,
): Promise<Pick<ForeignFile, "result" | "problem">> {
  // Most projects have no such file, so they do not load the code that imports rules.
  const { importForeignRules } = await import("./import_foreign_rules.ts");
  try {
    return { result: importForeignRules(name, text, flavor), problem: undefined };
  } catch (error) {
    const { UnreadableImportError } = await import("../rules/mod.ts");
    if (!(error instanceof UnreadableImportError)) throw error;
    return { result: undefined, problem: error.message };
  }
}

/** Finds the first file of each kind in the project's folders. */
async function foreignFiles(reader: ProjectReader): Promise<readonly ForeignFile[]> {
  const found: ForeignFile[] = [];
  const flavor = await detectFlavor([reader]);
  for (const name of FOREIGN_RULE_FILES) {
    for (const folder of FOLDERS) {
      const path = `${folder}${name}`;
      const text = await reader.readText(path);
      if (text === undefined) continue;
      found.push({ path, text, ...await importFile(name, text, flavor) });
      break;
    }
  }
  return found;
}

/** A file whose rules are missing from the project. */
export interface ImportableFile {
  /** Path relative to the project. */
  readonly path: string;
  readonly result: ImportResult;
}

/**
 * Finds configuration files for other hosts whose rules can be imported and are not in the project
 * yet.
 */
export async function findImportable(
  reader: ProjectReader,
  taken: TakenOver,
): Promise<readonly ImportableFile[]> {
  return (await foreignFiles(reader)).flatMap(({ path, result }) =>
    result === undefined || result.imported === 0 || isTaken(result, taken)
      ? []
      : [{ path, result }]
  );
}

/**
 * Names the files whose rules are missing from the project, and one command that imports them all.
 */
function describeRules(files: readonly ForeignFile[], shown: string): string | undefined {
  const [first, ...others] = files.map(({ path }) => path);
  if (first === undefined) return undefined;
  const paths = files.map(({ path }) => `${shown}${path}`).join(" ");
  const what = others.length === 0
    ? `${first} configures another host, so svc does not apply the file. To import its rules`
    : `${
      [first, ...others].join(", ")
    } configure other hosts, so svc does not apply these files. To import their rules`;
  return `${what}: svc rules import ${paths} --output ${shown}${RULES_FILE}`;
}

/** Describes the crons in a vercel.json that are missing from svc.toml, with the lines to add. */
function describeCrons(text: string, known: ReadonlySet<string>): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const crons = cronSchema.safeParse(value).data?.crons.filter(({ path }) => !known.has(path));
  if (crons === undefined || crons.length === 0) return undefined;
  const tables = crons.map(({ path, schedule }) =>
    `[[cron]]\npath = ${JSON.stringify(path)}\nschedule = ${JSON.stringify(schedule)}`
  );
  return `The crons in vercel.json do not run. Add them to svc.toml:\n\n${tables.join("\n\n")}\n`;
}

/**
 * Describes the build settings in a netlify.toml that are missing from svc.toml, with the lines to
 * add.
 */
async function describeNetlifyBuild(
  text: string,
  { build, declared }: ForeignFacts,
): Promise<string | undefined> {
  const { readNetlifyBuild } = await import("../rules/mod.ts");
  const { command, publish, variables } = readNetlifyBuild(text);
  const lines = [
    ...(command === undefined || build.command !== undefined
      ? []
      : [`command = ${JSON.stringify(command)}`]),
    ...(publish === undefined || build.outputDirs?.includes(publish) === true
      ? []
      : [`output_dirs = ${JSON.stringify([publish])}`]),
  ];
  const missing = variables.filter((name) => !declared.has(name));
  const settings = lines.length === 0 ? [] : [
    `Add the build settings that differ from the detected values to your svc.toml:\n\n[build]\n${
      lines.join("\n")
    }\n`,
  ];
  const names = missing.length === 0
    ? []
    : [`Set the file's variables with svc env set <name> --all: ${missing.join(", ")}`];
  if (settings.length + names.length === 0) return undefined;
  return `svc ignores the build settings in netlify.toml. ${[...names, ...settings].join(". ")}`;
}

interface ForeignFacts {
  readonly reader: ProjectReader;
  /**
   * Path of the project as shown in messages, with a trailing slash, or "" for the current folder.
   */
  readonly shown: string;
  readonly taken: TakenOver;
  /** Files that the user has declined to import. svc no longer mentions their rules. */
  readonly declined: ReadonlySet<string>;
  /** Paths of the declared scheduled tasks. */
  readonly tasks: ReadonlySet<string>;
  /** The build settings in svc.toml. */
  readonly build: {
    readonly command?: string | undefined;
    readonly outputDirs?: readonly string[] | undefined;
  };
  /** Names of the variables that svc.toml declares. */
  readonly declared: ReadonlySet<string>;
}

/** Warns about files that configure other hosts, and shows the command that imports their rules. */
export async function warnOfForeignFiles(host: BuildHost, facts: ForeignFacts): Promise<void> {
  const { reader, shown, taken, declined, tasks } = facts;
  const files = await foreignFiles(reader);
  const wanted = files.filter(({ path, result }) =>
    result !== undefined && !declined.has(path) && !isTaken(result, taken)
  );
  const netlify = files.find(({ path }) => path === "netlify.toml" && !declined.has(path));
  const vercel = files.find(({ path }) => path === "vercel.json");
  const messages = [
    ...files.flatMap(({ path, problem }) =>
      problem === undefined || declined.has(path)
        ? []
        : [`Cannot read ${path}, so its rules are not applied: ${problem}`]
    ),
    describeRules(wanted, shown),
    vercel && describeCrons(vercel.text, tasks),
    netlify && await describeNetlifyBuild(netlify.text, facts),
  ];
  for (const message of messages) if (message !== undefined) host.say("build", "warn", message);
}

/** Files that can contain Nitro's configuration of scheduled tasks. */
const NITRO_CONFIGS = ["nitro.config", "nuxt.config"].flatMap((name) =>
  ["ts", "js", "mjs", "mts"].map((extension) => `${name}.${extension}`)
);

/**
 * Warns about tasks that a server schedules itself. When the server is idle, it stops, and so do
 * its tasks.
 */
export async function warnOfOwnTimers(host: BuildHost, reader: ProjectReader): Promise<void> {
  for (const path of NITRO_CONFIGS) {
    const text = await reader.readText(path);
    if (text === undefined || !/\bscheduledTasks\s*:/.test(text)) continue;
    host.say(
      "build",
      "warn",
      `scheduledTasks in ${path} do not run, because an idle server stops. Write a route ` +
        'that calls runTask("…"), and add it to [[cron]] in svc.toml (docs/cron.md)',
    );
    return;
  }
}

/** Returns the prefix of a layer's paths in the output, or "" if the layer is the output itself. */
const rootOf = (directory: string): string =>
  directory.replace(/^(?:\.\/)+|^\.$/, "").replace(/\/*$/, "");

interface ServedFacts {
  readonly manifest: unknown;
  /** True if svc generated the manifest, because the output contains none. */
  readonly generated: boolean;
  /** Absolute paths of the output and the project's folder. */
  readonly output: string;
  readonly projectRoot: string;
  readonly taken: TakenOver;
}

/**
 * Warns about rules for another host that the build has written to its output. Files that are also
 * in the project's folders are reported there.
 */
async function warnOfBuiltRules(
  host: BuildHost,
  files: readonly OutputContent[],
  { output, projectRoot, taken }: ServedFacts,
): Promise<void> {
  const reader = createFolderReader(projectRoot);
  for (const name of NEVER_SERVED) {
    const file = files.find(({ path }) => basename(path) === name);
    if (file === undefined) continue;
    const known = await Promise.all(FOLDERS.map((folder) => reader.exists(`${folder}${name}`)));
    if (known.includes(true)) continue;
    const { content, path } = file;
    const bytes = typeof content === "string" ? await Deno.readFile(content) : content;
    const text = new TextDecoder().decode(bytes);
    const { result } = await importFile(name, text, await detectFlavor([reader]));
    if (result === undefined || isTaken(result, taken)) continue;
    host.say(
      "build",
      "warn",
      `${path} in the output configures another host, so svc does not apply the file. To import ` +
        `its rules: svc rules import ${host.showPath(join(output, path))} --output ${RULES_FILE}`,
    );
  }
}

/**
 * Returns the files of an output without configuration files of other hosts. If the output is the
 * project's own folder, omits all configuration files.
 */
export async function withoutForeignFiles(
  host: BuildHost,
  files: readonly OutputContent[],
  served: ServedFacts,
): Promise<readonly OutputContent[]> {
  const { manifest, generated, output, projectRoot } = served;
  const { layers } = staticLayers.safeParse(manifest).data ?? { layers: [] };
  const roots = layers.filter(({ target }) => target === "STATIC")
    .map(({ directory }) => rootOf(directory));
  const hidden = new Set(
    !generated
      ? []
      : roots.flatMap((root) => NEVER_SERVED.map((name) => root === "" ? name : `${root}/${name}`)),
  );
  const shown = files.filter(({ path }) => !hidden.has(path));
  await warnOfBuiltRules(host, files.filter(({ path }) => hidden.has(path)), served);
  const isProject = await Deno.realPath(output) === await Deno.realPath(projectRoot);
  if (!isProject || !roots.includes("")) return shown;
  const servers = layers.filter(({ target }) => target !== "STATIC")
    .map(({ directory }) => rootOf(directory));
  const isServed = (path: string) =>
    !servers.some((root) => root === "" || path.startsWith(`${root}/`));
  const sources = sourcesOf(await findProjectSigns(createFolderReader(projectRoot)));
  return await withoutConfiguration(host, shown, { projectRoot, isServed, sources });
}
