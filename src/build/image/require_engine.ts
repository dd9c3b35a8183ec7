/** @module Checks that Podman or Docker can build an image on this machine. */
import { BUILD_MARK } from "../../lib/build_process.ts";
import { type DetectedProject, OWN_COMMAND } from "../../manifest/mod.ts";
import { findToolchains } from "../../toolchains/find_toolchains.ts";
import { TOOLCHAINS } from "../../toolchains/toolchains.ts";
import { BuildError } from "../build_error.ts";
import type { BuildHost } from "../types.ts";

/** ID of the program that builds images. */
const TOOLCHAIN = "container";

/** Returns the settings in svc.toml that deploy the project without an image. */
const linesFor = (start: string): string =>
  'To run it without an image, add this to svc.toml:\n\n[build]\nruntime = "command"\n\n' +
  `[server]\ncommand = ${JSON.stringify(start === OWN_COMMAND ? "…" : start)}\n\n` +
  "If it is a static site, add this instead:\n\n[build]\nstatic = true\n";

/**
 * Stops a build that needs an image if this machine cannot build one.
 *
 * @throws {BuildError}
 */
export async function requireImageEngine(
  host: BuildHost,
  { toolchains = [], startCommand = "", server }: DetectedProject,
): Promise<void> {
  if (!toolchains.includes(TOOLCHAIN)) return;
  const isSandboxed = host.env[BUILD_MARK] !== undefined;
  if (!isSandboxed && (await findToolchains(host.env, toolchains)).length > 0) return;
  const { name, install } = TOOLCHAINS.find(({ id }) => id === TOOLCHAIN)!;
  const file = server?.layout?.entry ?? "Dockerfile";
  const [why, settle] = isSandboxed
    ? [
      "builds from git run in a sandbox without containers",
      `Run "svc deploy" on a machine with ${name}`,
    ]
    : [`this machine has no ${name}`, install];
  throw new BuildError(
    "build_failed",
    `Cannot build the image from ${file}, which starts ${startCommand}: ${why}`,
    {
      hint: `${settle}. ${linesFor(startCommand)}`,
      details: { toolchains: [TOOLCHAIN] },
    },
  );
}
