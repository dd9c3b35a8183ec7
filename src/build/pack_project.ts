/** @module Packs a project's folder into the content of a deployment. */
import { ifMissing } from "../lib/missing_files.ts";
import type { RuleSet } from "../rules/mod.ts";
import type { SealedFunction } from "../runtime/mod.ts";
import { BuildError } from "./build_error.ts";
import { type BuildOptions, buildProject, type BuiltProject } from "./build_project.ts";
import { withCronTasks } from "./cron_tasks.ts";
import { withQueues } from "./declared_queues.ts";
import { withForms } from "./declared_forms.ts";
import { withFunctionLimits } from "./function_limits.ts";
import { withDeclaredSettings } from "./declared_settings.ts";
import { createFolderReader } from "./folder_reader.ts";
import { warnOfForeignFiles, warnOfOwnTimers, withoutForeignFiles } from "./foreign_files.ts";
import { folderPagesOf } from "./folder_pages.ts";
import type { HashCachePlace } from "./hash_cache.ts";
import { hashFiles, type OutputContent, type PackedFile } from "./hash_files.ts";
import { describeJsonFault, findFramework } from "../manifest/mod.ts";
import { prepareOutput } from "./prepare_output.ts";
import {
  checkRuleFunctions,
  readOptionalText,
  readRulesFile,
  RULES_FILE,
  warnOpenFolders,
} from "./read_rules_file.ts";
import { withSinglePage } from "./single_page.ts";
import type { ServerReport, ServerSettings } from "./server/types.ts";
import type { BuildHost } from "./types.ts";
import { openApp } from "./workspace/open_app.ts";
import { join } from "node:path";
import { messageOf } from "../lib/error_message.ts";
import { formatPlace } from "../lib/diagnostic.ts";
import { formatCount, printable } from "../lib/format.ts";

const FUNCTIONS_FOLDER = "functions";

/** Bundles the functions in a project's `functions/`, if it has this folder. */
async function bundleProjectFunctions(
  host: BuildHost,
  projectRoot: string,
): Promise<readonly SealedFunction[]> {
  if (!await isFolder(join(projectRoot, FUNCTIONS_FOLDER))) return [];
  const { bundleFunctions } = await import("../runtime/mod.ts");
  const result = await bundleFunctions(projectRoot, { cacheDir: host.cacheDir });
  if (result.ok) {
    const { length } = result.functions;
    if (length > 0) host.say("build", "info", `Bundled ${formatCount(length, "function")}`);
    return result.functions;
  }
  const { problems } = result;
  const lines = problems.map(({ file, position, message, hint }) =>
    printable(
      `  ${formatPlace(file, position)}: ${message}${hint === undefined ? "" : `. ${hint}`}`,
    )
  );
  throw new BuildError(
    "functions_invalid",
    `Fix the functions: ${formatCount(problems.length, "problem")}\n${lines.join("\n")}`,
    { details: { problems } },
  );
}

async function isFolder(path: string): Promise<boolean> {
  return (await Deno.stat(path).catch(ifMissing))?.isDirectory ?? false;
}

const PACKAGE_FILE = "package.json";

/**
 * Rejects an unreadable package.json, because detection would treat it as missing and report a
 * misleading problem.
 * @throws {BuildError} if a folder's package.json is not a JSON object
 */
async function checkPackageJson(host: BuildHost, directory: string): Promise<void> {
  const path = join(directory, PACKAGE_FILE);
  const text = await readOptionalText(path);
  if (text === undefined) return;
  const shown = host.showPath(path);
  const json = text.replace(/^\ufeff/, "");
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    const fault = describeJsonFault(json) ?? messageOf(cause);
    throw new BuildError("build_failed", `Fix ${shown}: it is not valid JSON: ${fault}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  throw new BuildError("build_failed", `Fix ${shown}: it must contain a JSON object`);
}

export interface PackOptions extends BuildOptions {
  /** Absolute path of the user's current folder, which selects the app in a workspace. */
  readonly standing?: string | undefined;
  /** True to skip validation of manifest and rules. The platform validates them anyway. */
  readonly skipValidation?: boolean;
  /** Location of the hash cache, which is kept between runs. Without it, no hashes are cached. */
  readonly cachedAt?: HashCachePlace;
}

/** A built project whose files are listed but not yet read. */
interface Assembled extends BuiltProject {
  readonly files: readonly OutputContent[];
  /** The parsed `.svc/manifest.json` of the output, or a generated manifest. */
  readonly manifest: unknown;
  /** True if the output has no separate manifest. */
  readonly generated: boolean;
  /** The engine of each server, with the reason for it. Empty if nothing was validated. */
  readonly servers: readonly ServerReport[];
  /** The rule set of `svc.rules.toml` as written, or `undefined` if there is none. */
  readonly rules: RuleSet | undefined;
  /** Absolute path of the project, or of the chosen app in a workspace. */
  readonly directory: string;
  /**
   * Absolute path of the folder that contains the rules and functions: the project's or its
   * workspace's.
   */
  readonly home: string;
}

/** Everything that is sent to a platform: each file and function with its SHA-256. */
export interface Pack extends Omit<Assembled, "files"> {
  readonly files: readonly PackedFile[];
  readonly functions: readonly SealedFunction[];
}

function serverSettings({ config, settings }: PackOptions): ServerSettings {
  const nodeVersion = settings?.nodeVersion ?? undefined;
  return {
    ...config?.build,
    ...(config === undefined ? {} : { server: config.server }),
    ...(nodeVersion === undefined ? {} : { nodeVersion }),
  };
}

/** Reports files of the project that have no effect here. */
async function warnOfOthers(
  host: BuildHost,
  { directory, rules, config }:
    & Pick<Assembled, "rules">
    & Pick<PackOptions, "directory" | "config">,
): Promise<void> {
  const reader = createFolderReader(directory);
  const shown = host.showPath(directory);
  await warnOfForeignFiles(host, {
    reader,
    taken: { rules, static: config?.static },
    shown: shown === "" || shown === "." ? "" : `${shown}/`,
    declined: new Set(config?.build.notImported),
    tasks: new Set(config?.cron.map(({ path }) => path)),
    build: config?.build ?? {},
    declared: new Set(config?.env.declarations.keys()),
  });
  await warnOfOwnTimers(host, reader);
}

/**
 * Validates the rules, builds the project, and reads or creates its manifest.
 *
 * @throws {BuildError} If the project is at fault, with all problems of the step that failed
 */
export async function assembleProject(host: BuildHost, options: PackOptions): Promise<Assembled> {
  const { skipValidation } = options;
  const { directory, home, config } = await openApp(host, options);
  await checkPackageJson(host, directory);
  const rules = skipValidation === true ? undefined : await readRulesFile(host, home);
  const built = await buildProject(host, { ...options, directory, config });
  const prepared = await prepareOutput(host, {
    output: built.output,
    projectRoot: directory,
    detected: built.detected,
    settings: serverSettings({ ...options, config }),
    isNamed: built.isNamed,
    skipValidation,
    ...(config?.images === undefined ? {} : { images: config.images }),
  });
  const { framework } = built.detected;
  const paged = withSinglePage(host, prepared.manifest, {
    config,
    paths: prepared.files.map(({ path }) => path),
    isApp: findFramework(framework?.id)?.isSinglePage === true &&
      built.detected.server === undefined,
  });
  const queued = withQueues(host, withCronTasks(host, paged, config), config);
  const formed = await withForms(host, queued, { config, files: prepared.files });
  const manifest = withDeclaredSettings(withFunctionLimits(formed, config), config);
  if (rules !== undefined) {
    const paths = prepared.files.map(({ path }) => path);
    await warnOpenFolders(host, home, folderPagesOf(manifest, paths));
  }
  const ruleSet = rules?.ruleSet;
  await warnOfOthers(host, { directory, rules: ruleSet, config });
  const files = await withoutForeignFiles(host, prepared.files, {
    manifest,
    generated: prepared.generated,
    output: built.output,
    projectRoot: directory,
    taken: { rules: ruleSet, static: config?.static },
  });
  if (files.length === 0) {
    const shown = host.showPath(built.output);
    throw new BuildError("output_missing", `The output folder ${shown} has no files to serve`, {
      hint:
        "Check that the build writes its files to this folder, or set output_dirs under [build] in svc.toml",
    });
  }
  return { ...built, ...prepared, files, manifest, rules: ruleSet, directory, home };
}

/**
 * Prepares the parts of a deployment that do not need the platform: runs
 * {@link assembleProject}, hashes the files and bundles the functions.
 *
 * @throws {BuildError} If the project is at fault
 */
export async function packProject(host: BuildHost, options: PackOptions): Promise<Pack> {
  const assembled = await assembleProject(host, options);
  const files = await hashFiles(assembled.files, {
    signal: host.signal,
    cachedAt: options.cachedAt,
  });
  const functions = await bundleProjectFunctions(host, assembled.home);
  if (assembled.rules !== undefined) {
    await checkRuleFunctions(host, assembled.home, functions.map(({ name }) => name));
  }
  await warnOfUnused(host, functions, assembled.rules);
  return { ...assembled, files, functions };
}

async function usedFunctions(rules: RuleSet | undefined): Promise<readonly string[]> {
  return rules === undefined ? [] : (await import("../rules/mod.ts")).usedFunctions(rules);
}

/** Warns about functions that no rule uses, because they never run. */
async function warnOfUnused(
  host: BuildHost,
  functions: readonly SealedFunction[],
  rules: RuleSet | undefined,
): Promise<void> {
  if (functions.length === 0) return;
  const used = new Set(await usedFunctions(rules));
  for (const { name } of functions) {
    if (used.has(name)) continue;
    host.say(
      "build",
      "warn",
      `Function ${name} never runs: no pipeline in ${RULES_FILE} uses it`,
    );
  }
}
