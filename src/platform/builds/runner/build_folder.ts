/**
 * The folders for one build: the checkout, the home folder, scratch space, and the project's cache.
 * @module
 */
import { join } from "node:path";
import { hasOwnRoot, hasOwnUser, type SandboxKind, type Shown } from "../sandbox/sandbox.ts";
import { runProgram } from "../../../lib/spawn_program.ts";

export interface BuildFolder {
  readonly path: string;
  /** The root folder that the build sees. */
  readonly root: string;
  /** Path of the checkout on this machine. */
  readonly repository: string;
  readonly jobFile: string;
  readonly shown: readonly Shown[];
  /** Paths of these folders inside the build. */
  readonly inside: {
    readonly box: string;
    readonly temporary: string;
    readonly cache: string;
  };
  /** The cache on this machine. */
  readonly cache: string;
}

/** Runs a system program. If the program fails, throws an error with its output. */
async function run(program: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await runProgram(program, {
    args,
    clearEnv: true,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  });
  if (!success) throw new Error(`${program} failed: ${new TextDecoder().decode(stderr).trim()}`);
}

/** Removes a folder and everything that a build left in it, including read-only folders. */
export async function removeBuildFolder(path: string): Promise<void> {
  const isThere = await Deno.lstat(path).then(() => true, () => false);
  if (!isThere) return;
  if (Deno.uid() !== 0) await run("chmod", "-R", "u+rwX", "--", path).catch(() => {});
  await run("rm", "-rf", "--one-file-system", "--", path);
}

/** Creates a build's folders. Without `cache`, the build gets a temporary cache. */
export async function makeBuildFolder(
  path: string,
  options: { readonly kind: SandboxKind; readonly cache: string | undefined },
): Promise<BuildFolder> {
  await removeBuildFolder(path);
  const at = (name: string) => join(path, name);
  const cache = options.cache ?? at("cache");
  const [box, temporary, root] = [at("box"), at("tmp"), at("root")];
  await Deno.mkdir(path, { recursive: true, mode: 0o711 });
  for (const folder of [box, join(box, "repo"), join(box, "home"), temporary, root, cache]) {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  }
  const closed = hasOwnRoot(options.kind);
  const inside = {
    box: closed ? "/build" : box,
    temporary: closed ? "/tmp" : temporary,
    cache: closed ? "/cache" : cache,
  };
  return {
    path,
    root,
    repository: join(box, "repo"),
    jobFile: join(box, "job.json"),
    shown: [
      { from: box, to: inside.box },
      { from: temporary, to: inside.temporary },
      { from: cache, to: inside.cache },
    ],
    inside,
    cache,
  };
}

/**
 * Makes the build's user the owner of the build's folders. Also changes the owner of the cache if
 * it belongs to another user.
 */
export async function giveToUser(
  folder: BuildFolder,
  options: { readonly kind: SandboxKind; readonly uid: number },
): Promise<void> {
  const { kind, uid } = options;
  if (!hasOwnUser(kind)) return;
  const { uid: owner } = await Deno.stat(folder.cache);
  const places = folder.shown.map(({ from }) => from)
    .filter((from) => from !== folder.cache || owner !== uid);
  await run("chown", "-R", "-h", `${uid}:${uid}`, "--", ...places);
}
