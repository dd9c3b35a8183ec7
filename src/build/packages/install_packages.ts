/** @module Installs a project's packages if they are missing. */
import { join } from "node:path";
import type { DetectedProject } from "../../manifest/mod.ts";
import { createFolderReader } from "../folder_reader.ts";
import { runCommand } from "../run_command.ts";
import { type BuildHost, inEnvironment } from "../types.ts";
import { installFault, missingLockFile } from "./install_faults.ts";
import { missingPlatformPackages } from "./missing_platform_packages.ts";

interface InstallFacts {
  /** Absolute path of the project's folder. */
  readonly directory: string;
  readonly detected: DetectedProject;
  readonly install: PlannedInstall;
  readonly variables: () => Promise<Readonly<Record<string, string>>>;
}

interface PlannedInstall {
  readonly command: string;
  /** Absolute path of the folder that the command runs in. */
  readonly directory: string;
}

/** Returns the files that a package manager creates: packages, or Yarn's package map. */
const installedBy = ({ packagesFolder }: DetectedProject): readonly string[] => [
  "node_modules",
  packagesFolder,
  packagesFolder.replace(/node_modules$/, ".pnp.cjs"),
];

/**
 * Plans the installation. Returns `undefined` if the packages are already installed or none are
 * needed. Development packages are needed only for a build command or a server.
 */
export async function planInstall(
  { directory, detected, setting, builds }: {
    /** Absolute path of the project's folder. */
    readonly directory: string;
    readonly detected: DetectedProject;
    /**
     * The platform's setting. It overrides the detected command, and runs even if packages are
     * installed.
     */
    readonly setting: string | null | undefined;
    /** Whether a build command will run. */
    readonly builds: boolean;
  },
): Promise<PlannedInstall | undefined> {
  const reader = createFolderReader(directory);
  const there = await Promise.all(installedBy(detected).map((path) => reader.exists(path)));
  if (there.includes(true)) return undefined;
  if (typeof setting === "string") return builds ? { command: setting, directory } : undefined;
  const { installCommand: command, packages, installsIn } = detected;
  // The script that starts a server can need any package.
  const { server } = detected;
  const needed = packages === "runtime" ||
    (packages === "build" && (builds || server !== undefined));
  if (command === undefined || !needed) return undefined;
  return { command, directory: join(directory, installsIn) };
}

/** Variables that make package managers leave out packages that a build needs. */
const OMITTING = /^(?:NODE_ENV|NPM_CONFIG_(?:OMIT|ONLY|PRODUCTION)|YARN_PRODUCTION)$/i;

const withoutOmitting = <Value>(variables: Readonly<Record<string, Value>>) =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !OMITTING.test(name)));

/**
 * Runs the install command without `NODE_ENV`, regardless of whether the project or the terminal
 * sets it. With "production", package managers would leave out packages that the build needs.
 */
export async function installPackages(host: BuildHost, facts: InstallFacts): Promise<void> {
  const { command, directory } = facts.install;
  const where = directory === facts.directory ? "" : " for the workspace";
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
  if (manager?.name === "npm") await requirePlatformPackages(host, { ...facts.install, install });
}

/** An npm command that can be run again and does not intentionally leave out packages. */
const REPEATABLE = /^npm (?:ci|install)(?!.*(?:--omit|--no-optional|[;&|]))/;

/** Maximum number of packages to name. */
const SHOWN = 5;

const shown = (names: readonly string[]): string =>
  names.slice(0, SHOWN).join(", ") +
  (names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "");

/**
 * Installs again if npm has left out packages that this system needs. Names packages that are still
 * missing afterwards.
 */
async function requirePlatformPackages(
  host: BuildHost,
  { command, directory, install }: PlannedInstall & { readonly install: () => Promise<void> },
): Promise<void> {
  if (!REPEATABLE.test(command)) return;
  const missing = await missingPlatformPackages(directory);
  if (missing.length === 0) return;
  const names = shown(missing);
  host.say("install", "warn", `npm skipped ${names}, which this system needs. Installing again`);
  await install();
  const left = await missingPlatformPackages(directory);
  if (left.length === 0) return;
  host.say(
    "install",
    "warn",
    `npm skipped ${shown(left)} again: code that needs it will fail. Check that your ` +
      'registry has it, or remove node_modules and package-lock.json, run "npm install", and ' +
      "commit package-lock.json",
  );
}
