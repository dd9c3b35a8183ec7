/**
 * @module Detects from a few known files which tools a project uses, without searching its whole
 * folder.
 */
import { join } from "node:path/posix";
import { stripComments } from "../frameworks/config_text.ts";
import { findFramework, FRAMEWORKS } from "../frameworks/frameworks.ts";
import { DOCKERFILE } from "../languages/languages.ts";
import type {
  Framework,
  FrameworkFacts,
  FrameworkFinding,
  ProjectReader,
  ServerLayout,
} from "../frameworks/types.ts";
import { parsePackageFacts } from "./package_facts.ts";
import { addPackage, runProgram, runScript } from "./manager_calls.ts";
import { detectPackageManager, installCommand } from "./package_manager.ts";
import { packageVersion } from "./package_version.ts";
import type { DetectedProject, PackageFacts, PackageManager } from "./types.ts";
import { patternsAt, workspaceRoot } from "./workspace_root.ts";

/** Common output folders of unknown builds, most likely first. */
export const DEFAULT_OUTPUT_DIRS: readonly string[] = [
  "dist",
  "build",
  "out",
  "public",
  "_site",
  ".output/public",
];

async function firstConfig(reader: ProjectReader, framework: Framework) {
  for (const path of framework.configFiles) {
    const text = await reader.readText(path);
    if (text !== undefined) {
      return { path, text: framework.standalone === true ? text : stripComments(text) };
    }
  }
  return undefined;
}

interface Recognized {
  readonly framework: Framework;
  readonly config: FrameworkFacts["config"];
  /** The npm package that identified the framework. */
  readonly package: string | undefined;
}

/** Returns the explicitly named framework, even if the project has no other signs of it. */
async function named(
  reader: ProjectReader,
  facts: PackageFacts | undefined,
  id: string,
): Promise<Recognized | undefined> {
  const framework = findFramework(id);
  if (framework === undefined) return undefined;
  return {
    framework,
    config: await firstConfig(reader, framework),
    package: framework.packages.find((name) => facts?.dependencies.has(name)) ??
      framework.packages[0],
  };
}

async function recognize(
  reader: ProjectReader,
  facts: PackageFacts | undefined,
  { isStatic = false, images = true }: DetectOptions,
): Promise<Recognized | undefined> {
  const dependencies = facts?.dependencies ?? new Map<string, string>();
  for (const framework of FRAMEWORKS) {
    if (isStatic && framework.isLanguage === true) continue;
    if (!images && framework === DOCKERFILE) continue;
    const found = framework.packages.find((name) => dependencies.has(name));
    const asksAll = framework.applies !== undefined && framework.packages.length === 0;
    if (found === undefined && framework.configIdentifies !== true && !asksAll) continue;
    const config = await firstConfig(reader, framework);
    if (found === undefined && config === undefined && !asksAll) continue;
    if (await framework.applies?.({ reader, dependencies }) === false) continue;
    return { framework, config, package: found };
  }
  return undefined;
}

/**
 * Returns the path of the project's server: the one that the project names, otherwise the
 * framework's default.
 */
function layoutOf(
  framework: Framework | undefined,
  finding: FrameworkFinding,
  [output = "."]: readonly string[],
): ServerLayout | undefined {
  if (finding.server === undefined) return undefined;
  const usual = framework?.server?.layout;
  if (finding.layout !== undefined || usual === undefined) return finding.layout;
  const inOutput = (path: string) => join(output, path);
  return {
    ...usual,
    entry: inOutput(usual.entry),
    ...(usual.files === undefined ? {} : { files: inOutput(usual.files) }),
  };
}

interface Commands {
  readonly build: string | undefined;
  readonly dev: string | undefined;
}

/**
 * Dev servers of other platforms, which require an account on that platform. `svc dev` replaces
 * them.
 */
const OTHER_DEV_SERVER = /^(?:npx\s+(?:-\S+\s+)*)?(?:vercel|vc|netlify|ntl)\s+dev\b/;

/**
 * Returns the project's commands. Scripts in package.json take precedence over the framework's own
 * commands.
 */
function commandsOf(
  manager: PackageManager | undefined,
  facts: PackageFacts | undefined,
  own: Commands & { readonly package: string | undefined; readonly isLanguage: boolean },
): Commands {
  const call = (commandLine: string | undefined) =>
    commandLine === undefined || manager === undefined || own.package === undefined
      ? commandLine
      : runProgram(manager, { commandLine, package: own.package });
  const script = (names: readonly string[]) => {
    const name = names.find((candidate) => {
      const line = facts?.scripts.get(candidate);
      return line !== undefined && !OTHER_DEV_SERVER.test(line.trim());
    });
    return name === undefined || manager === undefined ? undefined : runScript(manager, name);
  };
  return {
    build: own.isLanguage
      ? [script(["build"]), own.build].filter((each) => each !== undefined).join(" && ") ||
        undefined
      : script(["build"]) ?? call(own.build),
    dev: script(["dev", "start", "serve"]) ?? call(own.dev),
  };
}

function distinct(paths: readonly string[]): string[] {
  const clean = paths.map((path) => path.replace(/^(?:\.\/)+/, "").replace(/\/+$/, ""));
  return [...new Set(clean.filter((path) => path !== ""))];
}

/**
 * Returns the output folders of a project without a framework. Plain files are served from the
 * project's own folder, but a build can put files elsewhere.
 */
async function outputDirsWithout(
  reader: ProjectReader,
  buildCommand: string | undefined,
): Promise<string[]> {
  const plain = buildCommand === undefined && await reader.exists("index.html");
  return plain ? ["."] : [...DEFAULT_OUTPUT_DIRS];
}

interface DetectOptions {
  /** ID of the framework. If set, no other framework is considered. */
  readonly framework?: string | null | undefined;
  /**
   * Whether the project is a static site, even if there are signs of servers in other languages.
   */
  readonly isStatic?: boolean;
  /** False if something other than a Dockerfile defines how the project is built. */
  readonly images?: boolean;
}

/** Detects the framework, package manager, commands and candidate output directories. */
export async function detectProject(
  reader: ProjectReader,
  options: DetectOptions = {},
): Promise<DetectedProject> {
  const facts = parsePackageFacts(await reader.readText("package.json"));
  const root = facts === undefined ? "" : await workspaceRoot(reader);
  const managed = await detectPackageManager(reader, facts, root);
  const { framework: id } = options;
  const recognized = typeof id === "string"
    ? await named(reader, facts, id)
    : await recognize(reader, facts, options);
  const manager = managed?.name ?? "npm";
  const framework = recognized?.framework;
  const finding: FrameworkFinding = await framework?.inspect?.({
    reader,
    dependencies: facts?.dependencies ?? new Map(),
    buildScript: facts?.scripts.get("build"),
    add: (name, kind) => addPackage(manager, name, kind),
    run: (commandLine) =>
      runProgram(manager, { commandLine, package: recognized?.package ?? commandLine }),
    config: recognized?.config,
  }) ?? {};
  const commands = commandsOf(managed?.name, facts, {
    build: finding.build ?? framework?.build,
    dev: finding.dev ?? framework?.dev,
    package: recognized?.package,
    isLanguage: framework?.isLanguage === true,
  });
  const outputDirs = framework === undefined
    ? await outputDirsWithout(reader, commands.build)
    : distinct([...finding.outputDirs ?? [], ...framework.outputDirs]);
  const urls = finding.urls ?? framework?.urls;
  const layout = layoutOf(framework, finding, outputDirs);
  return {
    framework: recognized === undefined
      ? undefined
      : await describeFramework(reader, recognized, { facts, root, lockFile: managed?.lockFile }),
    packageManager: managed?.name,
    manager: managed,
    installCommand: finding.install ??
      (managed === undefined ? undefined : await installCommand(managed, reader)),
    buildCommand: commands.build,
    devCommand: commands.dev,
    ...(finding.start === undefined ? {} : { startCommand: finding.start }),
    ...(finding.toolchains === undefined ? {} : { toolchains: finding.toolchains }),
    outputDirs,
    server: finding.server === undefined
      ? undefined
      : { reason: finding.server, ...(layout === undefined ? {} : { layout }) },
    advice: finding.advice,
    ...(urls === undefined ? {} : { urls }),
    packagesFolder: `${root}node_modules`,
    installsIn: root,
    packages: finding.packages ??
      (finding.install === undefined ? await packagesOf(reader, facts, root) : "runtime"),
  };
}

/**
 * Returns which packages to install. A workspace's packages are installed for each of its members.
 */
async function packagesOf(
  reader: ProjectReader,
  facts: PackageFacts | undefined,
  root: string,
): Promise<DetectedProject["packages"]> {
  if (facts === undefined) return "none";
  if (facts.hasRuntimePackages) return "runtime";
  const isPart = root !== "" || await patternsAt(reader, "") !== undefined;
  return isPart || facts.dependencies.size > 0 ? "build" : "none";
}

async function describeFramework(
  reader: ProjectReader,
  { framework, package: name }: Recognized,
  source: {
    readonly facts: PackageFacts | undefined;
    readonly root: string;
    readonly lockFile: string | undefined;
  },
) {
  const { id, name: title } = framework;
  if (name === undefined) return { id, name: title };
  const range = source.facts?.dependencies.get(name) ?? "";
  const version = await packageVersion(reader, {
    name,
    range,
    root: source.root,
    lockFile: source.lockFile,
  });
  return version === undefined ? { id, name: title } : { id, name: title, version };
}
