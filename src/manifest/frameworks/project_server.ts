/** @module Finds the server that a project starts itself. */
import * as z from "zod";
import { codeAround, firstFile, textAround } from "./code_around.ts";
import { type ServerCode, serverCode } from "./server_code.ts";
import { parseStart, scriptToRun, START_SCRIPTS, type StartCommand } from "./start_script.ts";
import { startsPrograms } from "./starts_programs.ts";
import type { Placement, ProjectReader } from "./types.ts";

const packageSchema = z.object({
  main: z.string().optional().catch(undefined),
  dependencies: z.record(z.string(), z.unknown()).catch({}),
  devDependencies: z.record(z.string(), z.unknown()).catch({}),
  scripts: z.record(z.string(), z.unknown()).catch({}),
});

export interface ProjectPackage {
  readonly main: string | undefined;
  readonly dependencies: ReadonlySet<string>;
  /** Names in `dependencies`: the packages that are needed at run time. */
  readonly runtimePackages: readonly string[];
  readonly scripts: ReadonlyMap<string, string>;
}

/** Reads package.json. Returns `undefined` if the file does not exist. */
export async function readPackage(project: ProjectReader): Promise<ProjectPackage | undefined> {
  const text = await project.readText("package.json");
  if (text === undefined) return undefined;
  const data = parsePackage(text);
  if (data === undefined) return undefined;
  const scripts = Object.entries(data.scripts)
    .filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return {
    main: data.main,
    dependencies: new Set([
      ...Object.keys(data.dependencies),
      ...Object.keys(data.devDependencies),
    ]),
    runtimePackages: Object.keys(data.dependencies).filter((name) => !name.startsWith("@types/")),
    scripts: new Map(scripts),
  };
}

function parsePackage(text: string): z.infer<typeof packageSchema> | undefined {
  try {
    return packageSchema.safeParse(JSON.parse(text.replace(/^\ufeff/, ""))).data;
  } catch {
    return undefined;
  }
}

/** A file that starts a server. */
export interface ProjectServer {
  /** Path relative to the project. The file may not exist until the project is built. */
  readonly entry: string;
  /** The command that runs the file, or `undefined` if there is no script. */
  readonly start: StartCommand | undefined;
  /** The script, which must run as written, if it does more than run the entry. */
  readonly script: string | undefined;
  /**
   * Evidence in the file's code; `undefined` if the file does not exist yet or contains no
   * evidence.
   */
  readonly code: ServerCode | undefined;
  /** The evidence that the file is a server, as a clause. */
  readonly reason: string;
}

const PACKAGE_FILE = "package.json";

const SCRIPT = /\.[cm]?[jt]sx?$/;

/**
 * Common server entries, for projects whose scripts do not specify an entry. npm itself starts
 * `server.js`.
 */
export const USUAL_ENTRIES: readonly string[] = ["", "src/"].flatMap((folder) =>
  ["server", "index", "app", "main"].flatMap((name) =>
    ["js", "mjs", "cjs", "ts", "mts"].map((type) => `${folder}${name}.${type}`)
  )
);

/** Returns the paths that Node tries for a file named in a script. */
export function candidatesOf(file: string, main: string | undefined): string[] {
  if (file === ".") {
    return [...(main === undefined ? [] : candidatesOf(main, undefined)), "index.js"];
  }
  const clean = file.replace(/^(?:\.\/)+/, "");
  if (SCRIPT.test(clean)) return [clean];
  const added = ["js", "mjs", "cjs", "ts"].map((type) => `${clean}.${type}`);
  return [clean, ...added, `${clean}/index.js`, `${clean}/index.mjs`];
}

/**
 * Returns whether the build will create a file that does not exist yet. The file must be in a
 * folder, and there must be a build script.
 */
const isBuilt = (file: string, scripts: ProjectPackage["scripts"]) =>
  file.includes("/") && scripts.has("build");

/**
 * Returns the file that a start script runs, if that file is a server. A file that exists but has
 * no signs of a server could be any program.
 */
async function startedServer(
  project: ProjectReader,
  { main, runtimePackages, scripts }: ProjectPackage,
  start: StartCommand,
  packages: readonly string[],
): Promise<ProjectServer | undefined> {
  const candidates = candidatesOf(start.file, main);
  const found = await firstFile(project, candidates);
  const entry = found?.path ?? candidates.find((path) => SCRIPT.test(path)) ?? start.file;
  const code = found === undefined ? undefined : await codeAround(project, found);
  const hasPackage = packages.some((name) => runtimePackages.includes(name));
  const isServer = hasPackage || code !== undefined ||
    (found === undefined && isBuilt(start.file, scripts));
  if (!isServer) return undefined;
  const isPlain = start.program === "node" && found !== undefined;
  const asWritten = isPlain && startsPrograms(await textAround(project, found), runtimePackages)
    ? start.script
    : undefined;
  const script = scriptToRun(scripts, START_SCRIPTS) ?? asWritten;
  return { entry, start, script, code, reason: `script "${start.script}" runs ${entry}` };
}

/**
 * Finds the server that a project starts. A start script takes precedence over `main` and files
 * with common names. If the project depends on one of `packages`, the file that the script runs
 * counts as a server even if its code has no signs of one.
 */
export async function findProjectServer(
  project: ProjectReader,
  packages: readonly string[],
): Promise<ProjectServer | undefined> {
  const facts = await readPackage(project);
  if (facts === undefined) return undefined;
  const start = parseStart(facts.scripts, START_SCRIPTS);
  if (start !== undefined) return await startedServer(project, facts, start, packages);
  const script = scriptToRun(facts.scripts, START_SCRIPTS);
  const named = facts.main === undefined ? [] : candidatesOf(facts.main, undefined);
  for (const path of [...named, ...USUAL_ENTRIES]) {
    const text = await project.readText(path);
    if (text === undefined) continue;
    const isNamed = named.includes(path);
    const code = isNamed ? await codeAround(project, { path, text }) : serverCode(text);
    if (code === undefined) continue;
    const reason = isNamed
      ? `"main" in package.json is ${path}, which ${code.seen}`
      : `${path} ${code.seen}`;
    return { entry: path, start: undefined, script, code, reason };
  }
  const hasPackage = packages.some((name) => facts.runtimePackages.includes(name));
  if (script === undefined || !hasPackage) return undefined;
  const reason = `script "${script}" runs ${JSON.stringify(facts.scripts.get(script))}`;
  return { entry: PACKAGE_FILE, start: undefined, script, code: undefined, reason };
}

/** Folders that builds write to and that git usually ignores. */
const BUILT_FOLDERS = ["dist", "build", "out", "public", "lib", "generated"] as const;

/**
 * Returns the project as the server sees it at run time: its own files, and the build's files in
 * folders ignored by git.
 */
export function projectPlacements(entry: string): readonly Placement[] {
  const [top = "."] = entry.split("/");
  const built = entry.includes("/") ? [top, ...BUILT_FOLDERS] : BUILT_FOLDERS;
  return [
    { from: ".", to: "." },
    ...[...new Set(built)].map((folder) => ({ from: folder, to: folder, optional: true })),
  ];
}
