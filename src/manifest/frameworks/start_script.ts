/**
 * @module Finds the file that a script such as `start` in package.json runs. The script is read but
 * never run, so the results of shell expansion are unknown.
 */

/** Scripts that start a project, including common names for a separate production script. */
export const START_SCRIPTS = ["start", "start:prod", "start:production", "serve:prod"] as const;

/** A script's command. */
export interface StartCommand {
  /** Program that runs the file, such as `node`, `tsx` or `fastify`. */
  readonly program: string;
  /** The file as written, without a leading `./`. `.` is the project itself. */
  readonly file: string;
  /** Name of the script that contains the command. */
  readonly script: string;
}

/** Maximum depth of calls from script to script. */
const MAX_DEPTH = 5;

/** Programs that run JavaScript or TypeScript files. */
const RUNNERS: ReadonlySet<string> = new Set([
  "node",
  "nodejs",
  "tsx",
  "ts-node",
  "ts-node-esm",
  "nodemon",
  "bun",
  "deno",
  "pm2",
  "pm2-runtime",
  "fastify",
  "react-router-serve",
  "remix-serve",
  "srvx",
]);

/** Words that can come between a runner and its file. */
const SUBCOMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  tsx: new Set(["watch"]),
  bun: new Set(["run"]),
  deno: new Set(["run", "serve"]),
  pm2: new Set(["start"]),
  "pm2-runtime": new Set(["start"]),
  fastify: new Set(["start"]),
  srvx: new Set(["serve"]),
};

/** Programs that run the command after them. */
const WRAPPERS: ReadonlySet<string> = new Set([
  "cross-env",
  "cross-env-shell",
  "env",
  "exec",
  "npx",
  "bunx",
  "dotenv",
  "--",
]);

const MANAGERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun", "deno"]);

/** Node flags whose value is the next word. Most runners accept these flags. */
const NODE_FLAGS: readonly string[] = [
  "-r",
  "--require",
  "--import",
  "--loader",
  "--experimental-loader",
  "--env-file",
  "-C",
  "--conditions",
  "--watch-path",
  "--tsconfig",
  "--project",
];

/** Flags of other programs whose value is the next word. */
const OWN_FLAGS: Readonly<Record<string, readonly string[]>> = {
  fastify: ["-l", "--log-level", "-p", "--port", "-a", "--address", "-c", "--config", "-x"],
  pm2: ["-i", "--instances", "-n", "--name"],
  "pm2-runtime": ["-i", "--instances", "-n", "--name"],
  nodemon: ["-x", "--exec", "-e", "--ext", "-w", "--watch", "-i", "--ignore"],
  dotenv: ["-e", "-f"],
  srvx: ["-p", "--port", "--host"],
};

/** Flags that run code from the command line instead of a file. */
const EVALUATES: ReadonlySet<string> = new Set(["-e", "--eval", "-p", "--print"]);

const takesValue = (program: string, flag: string) =>
  NODE_FLAGS.includes(flag) || OWN_FLAGS[program]?.includes(flag) === true;

const ASSIGNMENT = /^[A-Za-z_]\w*=/;

function words(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)]
    .map(([, double, single, bare]) => double ?? single ?? bare ?? "");
}

/** Returns the name of a program that can also be given as a path. */
const programOf = (word: string) => word.replace(/^.*node_modules\/\.bin\//, "");

/** Removes variables, and programs that only run the command after them. */
function dropWrappers(list: readonly string[]): string[] {
  let rest = [...list];
  let wrapper = "";
  while (rest.length > 0) {
    const [first = "", second = ""] = rest;
    const program = programOf(first);
    if (ASSIGNMENT.test(first)) rest = rest.slice(1);
    else if (WRAPPERS.has(program)) [wrapper, rest] = [program, rest.slice(1)];
    else if (program === "dotenvx" && second === "run") [wrapper, rest] = [first, rest.slice(2)];
    else if (/^(?:pnpm|yarn|npm)$/.test(first) && /^(?:exec|dlx|x)$/.test(second)) {
      [wrapper, rest] = [first, rest.slice(2)];
    } else if (wrapper !== "" && first.startsWith("-")) {
      rest = rest.slice(takesValue(wrapper, first) ? 2 : 1);
    } else break;
  }
  return rest;
}

/** Returns the first word that is neither a flag nor a flag's value. */
function fileOf(program: string, list: readonly string[]): string | undefined {
  for (let at = 0; at < list.length; at++) {
    const word = list[at] ?? "";
    if (!word.startsWith("-")) return word;
    if (takesValue(program, word)) at++;
    else if (EVALUATES.has(word) && program !== "fastify") return undefined;
  }
  return undefined;
}

/** Cleans a path. Ignores paths that leave the project and paths that a shell computes. */
function cleanFile(file: string): string | undefined {
  const path = file.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  if (path === "" || path === ".") return ".";
  return /^[\w@.][\w@.+/-]*$/.test(path) && !path.split("/").includes("..") ? path : undefined;
}

/** Returns the script that a package manager command runs. */
function calledScript([manager = "", first = "", second = ""]: readonly string[]) {
  if (!MANAGERS.has(manager)) return undefined;
  if (first === "run" || first === "task") return second;
  return manager !== "deno" && /^[a-z][\w:.-]*$/.test(first) && !first.includes(".")
    ? first
    : undefined;
}

/**
 * Finds the first of several scripts that runs a file. Returns `undefined` if none does.
 *
 * @example parseStart(new Map([["start", "NODE_ENV=production node ./dist/index.js"]]), ["start"]);
 * // { program: "node", file: "dist/index.js", script: "start" }
 */
export function parseStart(
  scripts: ReadonlyMap<string, string>,
  names: readonly string[],
): StartCommand | undefined {
  for (const name of names) {
    const found = follow(scripts, name, 0);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Matches a script that only starts `node <file>`. */
const PLAIN = /^node\s+[\w@./][\w@.+/-]*$/;

/**
 * Programs that build a site, or serve a site to its developer. These programs do not start a
 * server for production.
 */
const DEVELOPING: ReadonlySet<string> = new Set([
  "astro",
  "eleventy",
  "expo",
  "gatsby",
  "grunt",
  "gulp",
  "http-server",
  "live-server",
  "nest",
  "next",
  "ng",
  "nuxi",
  "nuxt",
  "parcel",
  "react-scripts",
  "serve",
  "svelte-kit",
  "tsc",
  "vinxi",
  "vite",
  "vue-cli-service",
  "webpack",
  "webpack-dev-server",
  "wrangler",
]);

/** Programs that run a server during development, or on a runtime other than Node. */
const NOT_AS_WRITTEN: ReadonlySet<string> = new Set([
  "bun",
  "deno",
  "nodemon",
  "pm2",
  "pm2-runtime",
]);

/** Returns whether a script only runs `node <file>`. */
function isPlain(scripts: ReadonlyMap<string, string>, name: string): boolean {
  const around = [`pre${name}`, `post${name}`].some((each) => scripts.has(each));
  return !around && PLAIN.test(scripts.get(name)?.trim() ?? "");
}

/**
 * Returns the start script if it must run as written. Returns `undefined` if running the script's
 * file with Node is equivalent, or if the script starts another runtime.
 */
export function scriptToRun(
  scripts: ReadonlyMap<string, string>,
  names: readonly string[],
): string | undefined {
  const name = names.find((each) => follow(scripts, each, 0) !== undefined);
  if (name !== undefined) {
    const { program = "" } = follow(scripts, name, 0) ?? {};
    return isPlain(scripts, name) || NOT_AS_WRITTEN.has(program) ? undefined : name;
  }
  return names.find((each) => {
    const [program] = dropWrappers(words(scripts.get(each) ?? ""));
    return program !== undefined && !DEVELOPING.has(programOf(program)) &&
      !NOT_AS_WRITTEN.has(program);
  });
}

function follow(
  scripts: ReadonlyMap<string, string>,
  script: string,
  depth: number,
): StartCommand | undefined {
  const text = scripts.get(script);
  if (text === undefined || depth > MAX_DEPTH) return undefined;
  const last = text.split(/&&|;/).map((part) => part.trim()).filter((part) => part !== "").at(-1);
  const [first = "", ...rest] = dropWrappers(words(last ?? ""));
  const program = programOf(first);
  const called = calledScript([program, ...rest]);
  if (called !== undefined && scripts.has(called)) return follow(scripts, called, depth + 1);
  if (!RUNNERS.has(program)) return undefined;
  const args = SUBCOMMANDS[program]?.has(rest[0] ?? "") === true ? rest.slice(1) : rest;
  const file = fileOf(program, args);
  const path = file === undefined ? undefined : cleanFile(file);
  return path === undefined ? undefined : { program, file: path, script };
}
