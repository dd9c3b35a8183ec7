/**
 * Archives for manual downloads and package managers. The same files always result in the same
 * bytes, because archives do not contain this machine's timestamps, owners or file order.
 *
 * @module
 */
import { join } from "node:path";
import { hear } from "../_process.ts";

/** The earliest timestamp that a zip archive can contain. */
const MTIME = new Date("1980-01-01T00:00:00Z");

async function run(command: readonly [string, ...string[]], cwd: string): Promise<void> {
  const { code, stderr } = await hear(command, { cwd });
  if (code !== 0) throw new Error(`${command.join(" ")} failed: ${stderr}`);
}

async function tar(folder: string, archive: string, files: readonly string[]): Promise<void> {
  const form = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=ustar"];
  const compressed = ["--use-compress-program", "gzip -9 -n"];
  await run(["tar", "--create", "--file", archive, ...compressed, ...form, ...files], folder);
}

/** Packs files in a folder, in the format of `archive`'s extension: `.zip` or `.tar.gz`. */
export async function pack(
  folder: string,
  archive: string,
  files: readonly string[],
): Promise<void> {
  const sorted = [...files].sort();
  for (const file of sorted) await Deno.utime(join(folder, file), MTIME, MTIME);
  if (archive.endsWith(".tar.gz")) return await tar(folder, archive, sorted);
  await run(["zip", "-X", "-9", "-q", archive, ...sorted], folder);
}
