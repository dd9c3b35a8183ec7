/**
 * The functions of a project, bundled for publication.
 *
 * @module
 */
import { join } from "node:path";
import { formatPlace } from "../lib/diagnostic.ts";
import { formatCount, printable } from "../lib/format.ts";
import type { SealedFunction } from "../runtime/mod.ts";
import { BuildError } from "./build_error.ts";
import type { BuildHost } from "./types.ts";

const FUNCTIONS_FOLDER = "functions";

/** Bundles `functions/` of a project; a project without it has none. */
export async function bundleProjectFunctions(
  host: BuildHost,
  projectRoot: string,
): Promise<readonly SealedFunction[]> {
  if (!await isFolder(join(projectRoot, FUNCTIONS_FOLDER))) return [];
  const { bundleFunctions } = await import("../runtime/mod.ts");
  const result = await bundleFunctions(projectRoot, { cacheDir: host.cacheDir });
  if (result.ok) {
    const { length } = result.functions;
    if (length > 0) host.say("build", "info", `Bundled ${formatCount(length, "function")}`);
    return result.functions;
  }
  const { problems } = result;
  const lines = problems.map(({ file, position, message, hint }) =>
    printable(
      `  ${formatPlace(file, position)}: ${message}${hint === undefined ? "" : `. ${hint}`}`,
    )
  );
  throw new BuildError(
    "functions_invalid",
    `Correct the functions: ${formatCount(problems.length, "problem")}\n${lines.join("\n")}`,
    { details: { problems } },
  );
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
