/**
 * Building the packages of a workspace that an app needs.
 *
 * @module
 */
import { join, relative, resolve } from "node:path";
import { type DetectedProject, runScript } from "../../manifest/mod.ts";
import { formatCount } from "../../lib/format.ts";
import { runCommand } from "../run_command.ts";
import type { BuildHost } from "../types.ts";
import { neededBy, readMembers } from "./members.ts";

/**
 * Runs the build scripts of the packages that a project of a workspace needs, each
 * after those that it needs itself.
 */
export async function buildNeeded(
  host: BuildHost,
  { directory, detected, variables }: {
    /** Absolute path of the project's folder. */
    readonly directory: string;
    readonly detected: DetectedProject;
    readonly variables: () => Promise<Readonly<Record<string, string>>>;
  },
): Promise<void> {
  const { installsIn, packageManager } = detected;
  if (installsIn === "" || packageManager === undefined) return;
  const root = resolve(directory, installsIn);
  const members = await readMembers(root) ?? [];
  const path = relative(root, directory).replaceAll("\\", "/");
  const needed = neededBy(members, path).filter(({ scripts }) => scripts.has("build"));
  if (needed.length === 0) return;
  host.say(
    "build",
    "info",
    `Building first ${
      formatCount(needed.length, "package")
    } of the workspace that ${path} needs: ` +
      needed.map((each) => each.path).join(", "),
  );
  for (const each of needed) {
    await runCommand(host, {
      phase: "build",
      command: runScript(packageManager, "build"),
      directory: join(root, each.path),
      variables: await variables(),
    });
  }
}
