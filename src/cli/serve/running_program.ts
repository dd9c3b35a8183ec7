/**
 * What runs a program whose file was replaced: the service of `svc serve --install`, and
 * platforms that were started by hand.
 *
 * @module
 */
import { join } from "node:path";
import { readTextFile } from "../../lib/utf8.ts";
import { serviceRestart, startsProgram } from "./service_file.ts";

/** One that goes on with the old program until `command` is run. */
export type OldProgram =
  | { readonly kind: "service"; readonly path: string; readonly command: string }
  | { readonly kind: "process"; readonly pid: number; readonly command: string };

export interface ProgramPlace {
  /** The program's real path. */
  readonly path: string;
  readonly os: typeof Deno.build.os;
  readonly home: string;
  /** Where the kernel shows its processes; another folder in tests. */
  readonly processes?: string;
  /** Where the service of the machine is; another folder in tests. */
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

/** True for the words of a platform, which hold nothing but flags before its command. */
function isServe([, ...words]: readonly string[]): boolean {
  return words.find((word) => !word.startsWith("-")) === "serve";
}

/** A path as a word of a shell. */
const shellWord = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** The processes of the program, also after its file was replaced. */
async function findProcesses(
  { path, processes = "/proc" }: ProgramPlace,
  isService: boolean,
): Promise<OldProgram[]> {
  const found: OldProgram[] = [];
  const names = await Array.fromAsync(Deno.readDir(processes)).catch(() => []);
  for (const { name } of names) {
    if (!/^\d+$/.test(name)) continue;
    const folder = join(processes, name);
    // That of another user's process cannot be read.
    const file = await Deno.readLink(join(folder, "exe")).catch(() => "");
    if (file !== path && file !== `${path} (deleted)`) continue;
    if (!isServe((await readOptional(join(folder, "cmdline"))).split("\0"))) continue;
    const group = isService ? await readOptional(join(folder, "cgroup")) : "";
    if (/\/svc\.service$/m.test(group)) continue;
    const command = `${shellWord(path)} serve --replace --background`;
    found.push({ kind: "process", pid: Number(name), command });
  }
  return found.sort((a, b) => a.kind === "process" && b.kind === "process" ? a.pid - b.pid : 0);
}

/** What still runs the program that was at `place.path` before it was replaced. */
export async function findOldPrograms(place: ProgramPlace): Promise<readonly OldProgram[]> {
  const services = await findServices(place);
  const processes = place.os === "linux" ? await findProcesses(place, services.length > 0) : [];
  return [...services, ...processes];
}
