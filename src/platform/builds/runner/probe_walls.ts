/**
 * Which walls this machine offers to builds, for those who look before they serve.
 *
 * @module
 */
import { DEFAULT_BUILD_UID } from "./build_limits.ts";
import { buildProgram } from "./program.ts";
import { findSandbox } from "./find_sandbox.ts";
import type { SandboxKind } from "./sandbox.ts";

/**
 * Tries the walls out, as the present user; `undefined` where builds would be
 * refused.
 *
 * @throws {WallsUndecidedError} where the machine is too busy to know.
 */
export async function probeBuildWalls(
  env: Readonly<Record<string, string | undefined>>,
): Promise<SandboxKind | undefined> {
  const folder = await Deno.makeTempDir({ prefix: "svc-walls-" });
  try {
    await Deno.chmod(folder, 0o711);
    return await findSandbox({
      folder,
      program: buildProgram(env),
      uid: DEFAULT_BUILD_UID,
      hidden: [],
      open: false,
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
