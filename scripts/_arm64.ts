/**
 * The program for arm64, and the C library that it needs, for `in_arm64.sh`.
 *
 * @module
 */
import { join } from "node:path";
import { NO_BASE_RUNTIME } from "./_base_runtime.ts";
import { unpackForeign } from "./_debian.ts";
import { isInstalled, show } from "./_process.ts";
import { ROOT } from "./_source_files.ts";

const FOLDER = join(ROOT, "dist", "arm64");
const LIBRARIES = ["libc6", "libgcc-s1", "libstdc++6"];

/**
 * Compiles the program with the base runtime in `DENORT_BIN_ARM64`, or with one that Deno
 * downloads.
 */
async function compile(): Promise<number> {
  const runtime = Deno.env.get("DENORT_BIN_ARM64");
  // `DENORT_BIN` is a base runtime for this machine's processor, so it cannot be used here.
  const variable = runtime ? [`DENORT_BIN=${runtime}`] : ["-u", "DENORT_BIN"];
  const script = [Deno.execPath(), "run", "-A", "--frozen", join(ROOT, "scripts", "compile.ts")];
  const flags = ["--target", "aarch64-unknown-linux-gnu", "--output", join(FOLDER, "svc")];
  const env = { BROTLI_QUALITY: Deno.env.get("BROTLI_QUALITY") ?? "4" };
  return await show(["env", ...variable, ...script, ...flags], { env });
}

/**
 * Creates the program and the libraries that `in_arm64.sh` runs. Returns the reason if something
 * that this needs is missing.
 *
 * @throws {Error} if the program does not compile.
 */
export async function provideArm64(): Promise<string | undefined> {
  if (!isInstalled("qemu-aarch64-static")) return "install Debian's qemu-user-static";
  const problem = await unpackForeign(LIBRARIES, {
    architecture: "arm64",
    folder: join(FOLDER, "root"),
  });
  if (problem !== undefined) return `apt has no ${LIBRARIES.join(", ")} for arm64: ${problem}`;
  const code = await compile();
  if (code === NO_BASE_RUNTIME) return "no base runtime (set DENORT_BIN_ARM64, or go online)";
  if (code !== 0) throw new Error(`Cannot compile for arm64: code ${code}`);
  return undefined;
}
