/**
 * The version of Node that a project asks for: an npm package like others,
 * installed once into the project's cache.
 *
 * @module
 */
import { join } from "node:path";
import { BuildError } from "../build_error.ts";
import type { BuildHost } from "../types.ts";
import { runCommand } from "../run_command.ts";

/** As the platform's settings allow it: `24`, `24.1`, `24.1.0`. */
const VERSION = /^\d+(\.\d+){0,2}$/;

const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "x64", aarch64: "arm64" };

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(({ isFile }) => isFile, () => false);
}

/** Returns the folder with `node` of that version, which goes first in the search path. */
export async function installNode(
  host: BuildHost,
  options: { readonly version: string; readonly cache: string },
): Promise<string> {
  const { version, cache } = options;
  if (!VERSION.test(version)) {
    throw new BuildError("build_failed", `Node version must be like 24 or 24.1.0: "${version}"`);
  }
  const architecture = ARCHITECTURES[Deno.build.arch] ?? Deno.build.arch;
  const name = `node-linux-${architecture}`;
  const folder = join(cache, "node", version);
  const bin = join(folder, "node_modules", name, "bin");
  if (await exists(join(bin, "node"))) return bin;
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  host.say("install", "info", `Installing Node ${version}`);
  await runCommand(host, {
    phase: "install",
    command: `npm install --no-save --no-package-lock --ignore-scripts --loglevel=error ` +
      `--prefix . ${name}@${version}`,
    directory: folder,
    variables: {},
  });
  return bin;
}
