/**
 * The toolchains that a project is built with: this machine's own.
 *
 * @module
 */
import type { DetectedProject } from "../manifest/mod.ts";
import { findToolchains, TOOLCHAINS } from "../runtime/mod.ts";
import { BuildError } from "./build_error.ts";
import type { BuildHost } from "./types.ts";

/**
 * Names those that are missing, with how to install them.
 *
 * @throws {BuildError}
 */
export async function requireToolchains(
  host: BuildHost,
  { framework, toolchains = [] }: DetectedProject,
): Promise<void> {
  if (toolchains.length === 0) return;
  const found = await findToolchains(host.env, toolchains);
  const missing = TOOLCHAINS.filter(({ id }) =>
    toolchains.includes(id) && !found.some(({ toolchain }) => toolchain.id === id)
  );
  for (const { toolchain, version } of found) {
    if (version !== undefined) host.say("detect", "info", `Found ${toolchain.name} ${version}`);
  }
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(" and ");
  throw new BuildError(
    "build_failed",
    `Cannot build this project of ${
      framework?.name ?? "another language"
    }: this machine has no ${names}`,
    {
      hint: `${missing.map(({ install }) => install).join(". ")}. ` +
        'Or set "build.command" in svc.toml to a command that needs none',
      details: { toolchains: missing.map(({ id }) => id) },
    },
  );
}
