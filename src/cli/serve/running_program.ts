/** @module Finds processes that still run a program whose file was replaced. */
import { join } from "node:path";
import { readTextFile } from "../../lib/utf8.ts";
import { flagOf, SETTINGS } from "../../settings/mod.ts";
import { shellWord } from "../errors/suggested_commands.ts";
import { serviceRestart, startsProgram } from "./service_file.ts";

/** A process that runs the old program, and the `command` that replaces it. */
export type OldProgram =
  | { readonly kind: "service"; readonly path: string; readonly command: string }
  | {
    readonly kind: "process";
    readonly pid: number;
    readonly command: string;
    /** Flags of the process that `command` omits. Their values may be secrets. */
    readonly leftOut: readonly string[];
  };

interface ProgramPlace {
  /** The program's real path. */
  readonly path: string;
  readonly os: typeof Deno.build.os;
  readonly home: string;
  /** The folder in which the user will run the command. */
  readonly folder: string;
  /** The kernel's folder of processes. Tests use another folder. */
  readonly processes?: string;
  /** The root folder for the machine's services. Tests use another folder. */
  readonly root?: string;
}

const readOptional = (path: string): Promise<string> => readTextFile(path).catch(() => "");

async function findServices({ path, os, home, root = "/" }: ProgramPlace): Promise<OldProgram[]> {
  const found: OldProgram[] = [];
  for (const isRoot of [true, false]) {
    const restart = serviceRestart({ os, isRoot, home });
    if (restart === undefined) continue;
    const file = isRoot ? join(root, restart.path) : restart.path;
    if (!startsProgram(await readOptional(file), path)) continue;
    found.push({ kind: "service", path: file, command: restart.command });
  }
  return found;
}

/** Flags that can precede the command and take the next word as their value. */
const GLOBAL_FLAGS: ReadonlySet<string> = new Set(["--token", "--workspace", "--api-url", "--cwd"]);

/** Returns the position of the command among a process's arguments, after the global flags. */
function commandAt([, ...words]: readonly string[]): number {
  return 1 +
    words.findIndex((word, index) =>
      !word.startsWith("-") && !GLOBAL_FLAGS.has(words[index - 1] ?? "")
    );
}

/** Returns true if these arguments start a platform. */
const isServe = (words: readonly string[]): boolean => words[commandAt(words)] === "serve";

/** Flags whose values may be secrets. */
const SECRET_FLAGS: ReadonlySet<string> = new Set([
  "--token",
  ...SETTINGS.filter(({ secret }) => secret === true).map(flagOf),
]);
/** Flags that affect only how the process was started. */
const STARTING_FLAGS: ReadonlySet<string> = new Set(["--replace", "--background", "--json"]);

/** Returns the flags that the new platform should keep. */
function keptFlags(words: readonly string[]) {
  const [kept, leftOut]: [string[], string[]] = [[], []];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const name = word.split("=", 1)[0]!;
    if (SECRET_FLAGS.has(name)) {
      leftOut.push(name);
      if (word === name) index++;
    } else if (!STARTING_FLAGS.has(word)) kept.push(word);
  }
  return { kept, leftOut };
}

/**
 * Returns the command that replaces a process's platform with a new one that has the same flags.
 */
async function restart(process: string, { path, folder }: ProgramPlace, words: readonly string[]) {
  const { kept, leftOut } = keptFlags(words.toSpliced(commandAt(words), 1).slice(1));
  const cwd = await Deno.readLink(join(process, "cwd")).catch(() => folder);
  const place = cwd === folder || kept.some((word) => /^--cwd(?:=|$)/.test(word))
    ? []
    : ["--cwd", cwd];
  const line = [path, "serve", ...kept, ...place, "--replace", "--background"];
  return { command: line.map(shellWord).join(" "), leftOut };
}

/** Finds the processes that are running the program, even if its file has been replaced since. */
async function findProcesses(
  place: ProgramPlace,
  isService: boolean,
): Promise<OldProgram[]> {
  const { path, processes = "/proc" } = place;
  const found: OldProgram[] = [];
  const names = await Array.fromAsync(Deno.readDir(processes)).catch(() => []);
  for (const { name } of names) {
    if (!/^\d+$/.test(name)) continue;
    const folder = join(processes, name);
    // The links of other users' processes cannot be read.
    const file = await Deno.readLink(join(folder, "exe")).catch(() => "");
    if (file !== path && file !== `${path} (deleted)`) continue;
    // Each argument ends with a zero byte.
    const words = (await readOptional(join(folder, "cmdline"))).split("\0").slice(0, -1);
    if (!isServe(words)) continue;
    const group = isService ? await readOptional(join(folder, "cgroup")) : "";
    if (/\/svc\.service(?:\/|$)/m.test(group)) continue;
    const pid = Number(name);
    found.push({ kind: "process", pid, ...await restart(folder, place, words) });
  }
  return found.sort((a, b) => a.kind === "process" && b.kind === "process" ? a.pid - b.pid : 0);
}

/** Finds processes that still run the old program from `place.path`. */
export async function findOldPrograms(place: ProgramPlace): Promise<readonly OldProgram[]> {
  const services = await findServices(place);
  const processes = place.os === "linux" ? await findProcesses(place, services.length > 0) : [];
  return [...services, ...processes];
}
