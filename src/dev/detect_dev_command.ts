/**
 * The command of a project that names none in `svc.toml`.
 *
 * @module
 */
import { createFolderReader } from "../build/mod.ts";
import { detectProject, parsePackageFacts } from "../manifest/mod.ts";

/** What package managers call as they run a script. */
const SCRIPT = /^(?:npm|pnpm|yarn|bun) run ([\w:.-]+)$/;

/**
 * The script `dev` of package.json, or what its framework brings; `undefined` where there
 * is none. `inspected` asks for the script's own command line, so that the inspector opens
 * in the server and not in the package manager that runs it.
 */
export async function detectDevCommand(
  directory: string,
  { inspected }: { readonly inspected: boolean },
): Promise<string | undefined> {
  const reader = createFolderReader(directory);
  const { devCommand } = await detectProject(reader);
  const [, script] = SCRIPT.exec(devCommand ?? "") ?? [];
  if (!inspected || script === undefined) return devCommand;
  const facts = parsePackageFacts(await reader.readText("package.json"));
  return facts?.scripts.get(script) ?? devCommand;
}
