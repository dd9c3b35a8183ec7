/**
 * Installing a project's packages, where nobody has done so yet.
 *
 * @module
 */
import type { DetectedProject } from "../manifest/mod.ts";
import { createFolderReader } from "./folder_reader.ts";
import { runCommand } from "./run_command.ts";
import type { BuildHost } from "./types.ts";

export interface InstallFacts {
  /** Absolute path of the project's folder. */
  readonly directory: string;
  /** The platform's setting; goes before the detected command. */
  readonly installCommand: string | null | undefined;
  readonly detected: DetectedProject;
  readonly variables: () => Promise<Readonly<Record<string, string>>>;
}

/** What a package manager leaves behind: packages, or Yarn's table of them. */
const installedBy = ({ packagesFolder }: DetectedProject): readonly string[] => [
  "node_modules",
  packagesFolder,
  packagesFolder.replace(/node_modules$/, ".pnp.cjs"),
];

/**
 * Runs the install command where package.json names packages and none are
 * installed; what a person has installed is left alone.
 */
export async function installPackages(host: BuildHost, facts: InstallFacts): Promise<void> {
  const { directory, detected } = facts;
  const command = facts.installCommand ?? detected.installCommand;
  if (command === undefined || !detected.hasPackages) return;
  const reader = createFolderReader(directory);
  const there = await Promise.all(installedBy(detected).map((path) => reader.exists(path)));
  if (there.includes(true)) return;
  host.say("install", "info", "Installing packages: there is no node_modules yet");
  await runCommand(host, {
    phase: "install",
    command,
    directory,
    variables: await facts.variables(),
  });
}
