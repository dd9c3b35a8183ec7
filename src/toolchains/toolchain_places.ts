import { dirname, join, sep } from "node:path";
import { ask, type Environment, findProgram, programOf } from "./find_toolchains.ts";
import { type Toolchain, TOOLCHAINS } from "./toolchains.ts";

/** Folders that every sandbox exposes, including everything below them. */
const SYSTEM = ["/usr", "/bin", "/lib", "/lib64"] as const;

/** Folders that contain more than one toolchain, so they are not exposed. */
const TOO_WIDE: ReadonlySet<string> = new Set([
  "/",
  "/home",
  "/root",
  "/opt",
  "/srv",
  "/var",
  "/etc",
  "/tmp",
  "/mnt",
  "/media",
  "/run",
]);

const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? "/" : folder + sep);

const isOfSystem = (path: string): boolean => SYSTEM.some((folder) => isBelow(path, folder));

/** Returns the folder of an installation, which contains `bin` and `lib`. */
async function folderOf(
  { folderCommand }: Toolchain,
  { program, env }: { readonly program: string; readonly env: Environment },
): Promise<string> {
  const [name = "", ...args] = folderCommand ?? [];
  const asked = findProgram(name, env);
  const reply = asked === undefined ? "failed" : await ask(asked, args, env);
  return typeof reply === "object" && reply.text.startsWith("/")
    ? Deno.realPathSync(reply.text)
    : dirname(dirname(Deno.realPathSync(program)));
}

/** A toolchain's visible folder, and the path of its programs in it. */
interface Place {
  readonly shown: string;
  readonly bin: string;
  /** The program's position on the search path. */
  readonly rank: number;
}

async function placeOf(toolchain: Toolchain, env: Environment): Promise<Place | undefined> {
  const program = programOf(toolchain, env);
  if (program === undefined) return undefined;
  const rank = (env.PATH ?? "").split(":").indexOf(dirname(program));
  try {
    if (isOfSystem(Deno.realPathSync(program))) return undefined;
    if (toolchain.isFile === true) return { shown: program, bin: dirname(program), rank };
    const shown = await folderOf(toolchain, { program, env });
    return { shown, bin: join(shown, "bin"), rank };
  } catch {
    return undefined;
  }
}

/**
 * Finds toolchain folders on this machine that can be exposed in a sandbox in addition to the
 * system's folders: folders on the platform's `PATH` that contain only a toolchain. Servers see
 * only toolchains that run servers; builds see all toolchains.
 */
export async function toolchainPlaces(
  env: Environment,
  { dataDir, builds }: { readonly dataDir: string; readonly builds: boolean },
): Promise<{ readonly toolchains: readonly string[]; readonly path: readonly string[] }> {
  const home = env.HOME ?? "/root";
  const wanted = TOOLCHAINS.filter(({ runs }) => builds || runs === true);
  const found = await Promise.all(wanted.map((toolchain) => placeOf(toolchain, env)));
  const places = found.filter((place) => place !== undefined)
    .filter(({ shown }) => !isOfSystem(shown) && !TOO_WIDE.has(shown) && !isBelow(home, shown))
    .filter(({ shown }) => !isBelow(dataDir, shown) && !isBelow(shown, dataDir))
    .sort((left, right) => left.rank - right.rank);
  return {
    toolchains: [...new Set(places.map(({ shown }) => shown))],
    path: [...new Set(places.map(({ bin }) => bin))],
  };
}
