/**
 * Debian programs that tests and benches use or compare svc with.
 *
 * @module
 */
import { join } from "node:path";
import { hear, isInstalled } from "./_process.ts";

export interface DebianProgram {
  readonly program: string;
  readonly package: string;
}

/**
 * Installs the missing programs with `apt-get`, if this process is root. Returns the programs that
 * are still missing.
 */
export async function installMissing(
  wanted: readonly DebianProgram[],
): Promise<readonly DebianProgram[]> {
  const missing = () => wanted.filter(({ program }) => !isInstalled(program));
  const packages = missing().map((item) => item.package);
  if (packages.length === 0 || Deno.uid() !== 0 || !isInstalled("apt-get")) return missing();
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await hear(["apt-get", "update", "-qq"], { env });
  await hear(["apt-get", "install", "-y", "-qq", "--no-install-recommends", ...packages], { env });
  return missing();
}

interface ForeignOptions {
  /** A processor architecture by its Debian name, such as `arm64`. */
  readonly architecture: string;
  /** The folder for the unpacked files. It is emptied first. */
  readonly folder: string;
}

/**
 * Unpacks packages for another processor, from this machine's apt sources. The machine stays
 * unchanged, because apt works in a separate folder. Returns the error message of a program that
 * fails.
 */
export async function unpackForeign(
  packages: readonly string[],
  { architecture, folder }: ForeignOptions,
): Promise<string | undefined> {
  if (!isInstalled("apt-get")) return "apt-get is not installed";
  const state = await Deno.makeTempDir({ prefix: "svc-apt-" });
  const run = async (...command: readonly [string, ...string[]]) => {
    const { code, stderr } = await hear(command, { cwd: state });
    if (code !== 0) throw new AptError(stderr.trim().split("\n")[0]);
  };
  try {
    await Deno.mkdir(join(state, "cache"));
    await Deno.writeTextFile(join(state, "status"), "");
    const apt = ["apt-get", "-qq", ...aptOptions(state, architecture)] as const;
    await run(...apt, "update");
    await run(...apt, "download", ...packages);
    await Deno.remove(folder, { recursive: true }).catch(ignoreMissing);
    await Deno.mkdir(join(folder, "usr", "lib"), { recursive: true });
    const archives = [...Deno.readDirSync(state)].filter(({ name }) => name.endsWith(".deb"));
    for (const { name } of archives) await run("dpkg-deb", "--extract", name, folder);
    // Depending on the release, the libraries are in `lib` or in `usr/lib`. On an installed system,
    // both are the same folder.
    const old = join(folder, "lib");
    await Deno.mkdir(old, { recursive: true });
    await run("cp", "--archive", `${old}/.`, join(folder, "usr", "lib"));
    await Deno.remove(old, { recursive: true });
    await Deno.symlink("usr/lib", old);
    return undefined;
  } catch (error) {
    if (error instanceof AptError) return error.message;
    throw error;
  } finally {
    await Deno.remove(state, { recursive: true });
  }
}

class AptError extends Error {}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

/** Returns options that make apt work in a folder and for another processor. */
function aptOptions(state: string, architecture: string): readonly string[] {
  const options = [
    `Dir::State=${state}`,
    `Dir::State::status=${join(state, "status")}`,
    `Dir::Cache=${join(state, "cache")}`,
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    "Acquire::Languages=none",
    "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
    // By default, apt downloads as another user, who may not be able to access the folder.
    "APT::Sandbox::User=",
    // Without this option, apt-get update succeeds even if a source is empty.
    "APT::Update::Error-Mode=any",
  ];
  return options.flatMap((option) => ["-o", option]);
}
