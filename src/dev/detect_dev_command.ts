/** @module Detects the dev command of a project that does not set one in `svc.toml`. */
import { join } from "node:path";
import { createFolderReader } from "../build/mod.ts";
import { detectProject, parsePackageFacts } from "../manifest/mod.ts";

/** Matches a command that runs a script with a package manager. */
const SCRIPT = /^(?:npm|pnpm|yarn|bun) run ([\w:.-]+)$/;
/** Matches a command that runs a dependency's program with a package manager. */
const PROGRAM = /^(?:npx|pnpm exec|yarn run|bunx) (([\w.-]+)(?: .*)?)$/;

/**
 * Returns the `dev` script in package.json or the framework's command, or `undefined` if there is
 * neither. With `inspected`, returns the script's own command line, because the inspector must open
 * in the server, not in the package manager.
 */
export async function detectDevCommand(
  directory: string,
  { inspected }: { readonly inspected: boolean },
): Promise<string | undefined> {
  const reader = createFolderReader(directory);
  const { devCommand = "" } = await detectProject(reader);
  const [, script] = SCRIPT.exec(devCommand) ?? [];
  if (script !== undefined) {
    if (!inspected) return devCommand;
    const facts = parsePackageFacts(await reader.readText("package.json"));
    return facts?.scripts.get(script) ?? devCommand;
  }
  // The command's `PATH` includes the programs of the project's packages.
  const [, own, program = ""] = PROGRAM.exec(devCommand) ?? [];
  if (own !== undefined && await reader.exists(join("node_modules", ".bin", program))) return own;
  return devCommand === "" ? undefined : devCommand;
}
