/**
 * The functions of a project, bundled for publication.
 *
 * @module
 */
import { join } from "node:path";
import { formatPlace } from "../../lib/diagnostic.ts";
import type { SealedFunction } from "../../runtime/mod.ts";
import { CliError } from "../cli_error.ts";
import type { Context } from "../context.ts";
import { formatCount, printable } from "../format.ts";
import { cacheFolder } from "../cache_folder.ts";

const FUNCTIONS_FOLDER = "functions";

/** Bundles `functions/` of a project; a project without it has none. */
export async function bundleProjectFunctions(
  ctx: Context,
  projectRoot: string,
): Promise<readonly SealedFunction[]> {
  if (!await isFolder(join(projectRoot, FUNCTIONS_FOLDER))) return [];
  const { bundleFunctions } = await import("../../runtime/mod.ts");
  const result = await bundleFunctions(projectRoot, { cacheDir: cacheFolder(ctx.env) });
  if (result.ok) {
    const { length } = result.functions;
    if (length > 0) ctx.ui.log("build", "info", `Bundled ${formatCount(length, "function")}`);
    return result.functions;
  }
  const { problems } = result;
  const lines = problems.map(({ file, position, message, hint }) =>
    printable(
      `  ${formatPlace(file, position)}: ${message}${hint === undefined ? "" : `. ${hint}`}`,
    )
  );
  throw new CliError(
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
