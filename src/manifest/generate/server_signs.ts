/** @module Detects a server in an output that looks like a static site. */
import { candidatesOf, readPackage } from "../frameworks/project_server.ts";
import { type ServerCode, serverCode } from "../frameworks/server_code.ts";
import { parseStart, START_SCRIPTS } from "../frameworks/start_script.ts";
import type { BuiltOutput, ProjectReader } from "../frameworks/types.ts";
import { functionLine } from "../signs/function_signs.ts";
import { LANGUAGES } from "../signs/sign_table.ts";

/** Evidence that an output is not a static site. */
export interface ServerSign {
  /** The evidence, as a clause. */
  readonly seen: string;
  /** The file that seems to start the server, relative to the output. */
  readonly entry: string | undefined;
  /** Folders with browser files, relative to the output. */
  readonly clients: readonly string[];
}

const PAGE = /\.html?$/i;

/** Returns whether an output file is a page. */
export const isPage = (path: string): boolean => PAGE.test(path);

const SCRIPT = /\.[cm]?[jt]sx?$/i;

/** Matches source files of programs, which other hosting platforms would run. */
const PROGRAMS = [SCRIPT, /\.(?:pl|cgi)$/i, ...LANGUAGES.map(({ sources }) => sources)];

const CLIENT_FOLDERS = ["client", "public", "browser", "static"] as const;

/** Entry names, most certain first. */
const ENTRY_NAMES = ["server", "index", "entry", "main", "app", "handler"] as const;

/** Maximum number of files that are read. */
const MAX_READ = 24;

const topOf = (path: string) => path.includes("/") ? path.slice(0, path.indexOf("/")) : "";

function nameRank(path: string): number {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const at = ENTRY_NAMES.findIndex((stem) => name.startsWith(stem));
  return at === -1 ? ENTRY_NAMES.length : at;
}

/**
 * Returns files that could start a server, from the top folder, `server/` and `src/`, with the most
 * certain names first.
 */
function entryCandidates(paths: readonly string[], directory: string): string[] {
  const rank = (path: string) => nameRank(path) + (path.startsWith("server/") ? 0 : 0.5);
  return paths
    .filter((path) => SCRIPT.test(path) && /^(?:(?:server|src)\/)?[^/]+$/.test(path))
    .filter((path) => directory === "." || !/\.config\.[cm]?[jt]s$/.test(path))
    .sort((left, right) => rank(left) - rank(right))
    .slice(0, MAX_READ);
}

interface FoundCode extends ServerCode {
  readonly path: string;
}

/** Finds the first likely entry whose code has signs of a server. */
async function findCode(output: BuiltOutput): Promise<FoundCode | undefined> {
  for (const path of entryCandidates(output.paths, output.directory)) {
    const text = await output.readText(path);
    const code = text === undefined ? undefined : serverCode(text);
    if (code !== undefined) return { path, ...code };
  }
  return undefined;
}

/**
 * Returns the file that a start script in package.json runs, relative to the folder of that
 * package.json.
 */
async function startedFile(
  project: ProjectReader,
  has: (path: string) => boolean,
): Promise<{ readonly script: string; readonly path: string } | undefined> {
  const facts = await readPackage(project);
  const start = facts === undefined ? undefined : parseStart(facts.scripts, START_SCRIPTS);
  if (start === undefined) return undefined;
  const path = candidatesOf(start.file, facts?.main).find(has);
  return path === undefined ? undefined : { script: start.script, path };
}

/** Finds a start script, in the project or in the output, that runs a file in the output. */
async function findStarted(output: BuiltOutput) {
  const { directory, paths } = output;
  const all = new Set(paths);
  const prefix = directory === "." ? "" : `${directory}/`;
  const inOutput = (path: string) => path.startsWith(prefix) && all.has(path.slice(prefix.length));
  const own = await startedFile(output.project, inOutput);
  if (own !== undefined) return { ...own, path: own.path.slice(prefix.length) };
  if (directory === ".") return undefined;
  const reader: ProjectReader = {
    readText: output.readText,
    exists: (path) => Promise.resolve(all.has(path)),
  };
  return await startedFile(reader, (path) => all.has(path));
}

/**
 * Finds a folder `server/` that contains code and is next to a folder of browser files. The names
 * alone are not enough, because a site can have such folders.
 */
function besideClient(paths: readonly string[]): string | undefined {
  const inServer = paths.filter((path) => topOf(path) === "server");
  if (!inServer.some((path) => SCRIPT.test(path)) || inServer.some((path) => PAGE.test(path))) {
    return undefined;
  }
  return CLIENT_FOLDERS.find((folder) => paths.some((path) => topOf(path) === folder));
}

const FUNCTION_FOLDER = /^(api|functions|netlify\/(?:edge-)?functions)\//;

/**
 * Finds a function for another platform. Such a function does not run on svc, and is not part of a
 * site either.
 */
async function findFunction(output: BuiltOutput): Promise<string | undefined> {
  const likely = output.paths.filter((path) => FUNCTION_FOLDER.test(path));
  for (const path of likely.slice(0, MAX_READ)) {
    const [, folder = ""] = FUNCTION_FOLDER.exec(path) ?? [];
    if (functionLine(folder, path, await output.readText(path) ?? "") !== undefined) return path;
  }
  return undefined;
}

/**
 * Finds evidence that an output is a server. Returns `undefined` for a static site: one that
 * has a page, no code that starts a server, and no code run by a start script.
 */
export async function findServerSign(output: BuiltOutput): Promise<ServerSign | undefined> {
  const { paths } = output;
  const clients = CLIENT_FOLDERS.filter((folder) =>
    paths.some((path) => path.startsWith(`${folder}/`))
  );
  const started = await findStarted(output);
  const code = await findCode(output);
  const entry = code?.path ?? started?.path;
  if (started !== undefined) {
    return {
      seen: `script "${started.script}" in package.json runs ${started.path}`,
      entry: started.path,
      clients,
    };
  }
  if (code !== undefined) return { seen: `${code.path} ${code.seen}`, entry, clients };
  const beside = besideClient(paths);
  if (beside !== undefined) {
    const likely = entryCandidates(paths, output.directory).find((path) =>
      path.startsWith("server/")
    );
    return { seen: `server/ has code, next to ${beside}/`, entry: likely, clients };
  }
  const foreign = await findFunction(output);
  if (foreign !== undefined) {
    const seen = `${foreign} is another platform's function`;
    return { seen, entry: undefined, clients };
  }
  if (paths.some((path) => PAGE.test(path))) return undefined;
  const program = paths.find((path) => PROGRAMS.some((sources) => sources.test(path)));
  if (program === undefined) return undefined;
  const [likely] = entryCandidates(paths, output.directory);
  return {
    seen: `it has no page such as index.html, but it has code: ${likely ?? program}`,
    entry: likely,
    clients,
  };
}
