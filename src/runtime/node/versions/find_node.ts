import { isAbsolute, join } from "node:path";
import { runProgram } from "../../../lib/spawn_program.ts";

const ELF = [0x7f, 0x45, 0x4c, 0x46];

interface FoundNode {
  /** Absolute real path of the executable. */
  readonly path: string;
  /** The version, for example `24.1.0`. */
  readonly version: string;
}

/**
 * Returns true for a binary executable. Scripts, such as those of version managers, do not count.
 */
async function isProgram(path: string): Promise<boolean> {
  if (Deno.build.os !== "linux") return true;
  using file = await Deno.open(path);
  const head = new Uint8Array(ELF.length);
  await file.read(head);
  return ELF.every((byte, at) => head[at] === byte);
}

/**
 * Returns the version that a Node executable reports, or `undefined` if the executable does not
 * run.
 */
export async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { stdout, success } = await runProgram(path, {
      args: ["--version"],
      clearEnv: true,
      stdin: "null",
      stderr: "null",
    });
    return success ? new TextDecoder().decode(stdout).trim().replace(/^v/, "") : undefined;
  } catch {
    return undefined;
  }
}

/** Finds the first `node` in the folders of a search path. Returns `undefined` if there is none. */
export async function findNode(searchPath: string): Promise<FoundNode | undefined> {
  for (const folder of searchPath.split(":")) {
    if (!isAbsolute(folder)) continue;
    try {
      const path = await Deno.realPath(join(folder, "node"));
      if (!await isProgram(path)) continue;
      const version = await versionOf(path);
      if (version !== undefined) return { path, version };
    } catch { /* not in this folder */ }
  }
  return undefined;
}
