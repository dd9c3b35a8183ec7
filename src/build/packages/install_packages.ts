/** @module Installs a project's packages if they are missing. */
import { join } from "node:path";
import type { DetectedProject } from "../../manifest/mod.ts";
import { createFolderReader } from "../folder_reader.ts";
import { runCommand } from "../run_command.ts";
import { type BuildHost, inEnvironment } from "../types.ts";
import { installFault, missingLockFile } from "./install_faults.ts";
import { missingPlatformPackages } from "./missing_platform_packages.ts";

export interface InstallFacts {
  /** Absolute path of the project's folder. */
  readonly directory: string;
  readonly detected: DetectedProject;
  readonly install: PlannedInstall;
  readonly variables: () => Promise<Readonly<Record<string, string>>>;
}

export interface PlannedInstall {
  readonly command: string;
  /** Absolute path of the folder that it runs in. */
  readonly directory: string;
}

/** The files that a package manager creates: packages, or Yarn's table of them. */
const installedBy = ({ packagesFolder }: DetectedProject): readonly string[] => [
  "node_modules",
  packagesFolder,
  packagesFolder.replace(/node_modules$/, ".pnp.cjs"),
];

/**
 * Plans the installation: nothing if packages are installed already, or none are needed. Without a
 * build command or a server, packages for development are not.
 */
export async function planInstall(
  { directory, detected, setting, builds }: {
    /** Absolute path of the project's folder. */
    readonly directory: string;
    readonly detected: DetectedProject;
    /** The platform's setting; overrides the detected command, and always runs. */
    readonly setting: string | null | undefined;
    /** Whether a build command is going to run. */
    readonly builds: boolean;
  },
): Promise<PlannedInstall | undefined> {
  const reader = createFolderReader(directory);
  const there = await Promise.all(installedBy(detected).map((path) => reader.exists(path)));
  if (there.includes(true)) return undefined;
  if (typeof setting === "string") return builds ? { command: setting, directory } : undefined;
  const { installCommand: command, packages, installsIn } = detected;
  // The script that starts a server may need any of them.
  const { server } = detected;
  const needed = packages === "runtime" ||
    (packages === "build" && (builds || server !== undefined));
  if (command === undefined || !needed) return undefined;
  return { command, directory: join(directory, installsIn) };
}

/** Variables with which package managers leave out the packages that a build needs. */
const OMITTING = /^(?:NODE_ENV|NPM_CONFIG_(?:OMIT|ONLY|PRODUCTION)|YARN_PRODUCTION)$/i;

const withoutOmitting = <Value>(variables: Readonly<Record<string, Value>>) =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !OMITTING.test(name)));

/**
 * Runs the install command. It sees no `NODE_ENV`, neither the project's nor the terminal's: with
 * "production", package managers leave out packages that the build needs.
 */
export async function installPackages(host: BuildHost, facts: InstallFacts): Promise<void> {
  const { command, directory } = facts.install;
  const where = directory === facts.directory ? "" : " of the workspace";
  host.say("install", "info", `Installing packages${where}: node_modules is missing`);
  const { manager } = facts.detected;
  const lacking = missingLockFile(manager);
  if (lacking !== undefined) host.say("install", "warn", lacking);
  const variables = withoutOmitting(await facts.variables());
  const install = () =>
    runCommand(inEnvironment(host, withoutOmitting(host.env)), {
      phase: "install",
      command,
      directory,
      variables,
      suspect: (output) => Promise.resolve(installFault(output, manager)),
    });
  await install();
  if (manager?.name === "npm") await requirePlatformPackages(host, { directory, install });
}

/** Installs again if npm has left out packages that this system needs, and names what stays missing. */
async function requirePlatformPackages(
  host: BuildHost,
  { directory, install }: { readonly directory: string; readonly install: () => Promise<void> },
): Promise<void> {
  const missing = await missingPlatformPackages(directory);
  if (missing.length === 0) return;
  const names = missing.join(", ");
  host.say("install", "warn", `npm left out ${names}, which this system needs. Installing again`);
  await install();
  const left = await missingPlatformPackages(directory);
  if (left.length === 0) return;
  host.say(
    "install",
    "warn",
    `npm left out ${left.join(", ")} again: code that needs it will fail. Check that your ` +
      'registry has it, or remove node_modules and package-lock.json, run "npm install", and ' +
      "commit package-lock.json",
  );
}
