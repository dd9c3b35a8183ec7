/**
 * Programs from Debian that tests and benches stand beside.
 *
 * @module
 */
import { hear, isInstalled } from "./_process.ts";

export interface DebianProgram {
  readonly program: string;
  readonly package: string;
}

/**
 * Installs the programs that are missing, where this process is root and has
 * `apt-get`; nothing comes from elsewhere. Returns the programs that are
 * missing afterwards.
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
