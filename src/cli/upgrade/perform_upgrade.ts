/** @module Replaces the installed program with the program of a release. */
import { compare } from "semver";
import { dirname } from "node:path";
import { describeFileFault, isFileFault } from "../../lib/file_fault.ts";
import { runProgram } from "../../lib/spawn_program.ts";
import {
  downloadProgram,
  findRelease,
  programFor,
  type Release,
  ReleaseError,
  type ReleasePlace,
  type ReleaseProgram,
} from "../../release/mod.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Progress } from "../terminal/progress.ts";
import type { Ui } from "../terminal/ui.ts";
import type { InstalledProgram } from "./installed_program.ts";
import { type ProgramFiles, programFiles } from "./program_files.ts";
import { replaceProgram } from "./replace_program.ts";
import { lockUpgrade } from "./upgrade_lock.ts";
import { fileDigest, writeRecord } from "./upgrade_record.ts";

interface UpgradeParts {
  readonly installed: InstalledProgram;
  readonly from: ReleasePlace;
  readonly ui: Pick<Ui, "log" | "progress">;
}

export interface UpgradeRequest {
  /** The version to install. Defaults to the latest. */
  readonly version?: string | undefined;
  /** True to install the version even if it is not newer. */
  readonly force: boolean;
}

export interface UpgradeOutcome {
  readonly version: string;
  readonly previous: string;
  readonly path: string;
  /** False if the requested version was already installed. */
  readonly changed: boolean;
}

/** Describes a file system error with the path and advice. */
export function explainPlace(error: unknown, path: string): unknown {
  if (!isFileFault(error)) return error;
  return new CliError(
    "not_writable",
    `Cannot replace ${path}: ${describeFileFault(error)}`,
    {
      hint: `Nothing was changed. Make ${
        dirname(path)
      } writable and free some space, or run the command as the user who installed svc`,
      cause: error,
    },
  );
}

/** Rejects a release that cannot read the data that this program writes. */
function assertReadsData(release: Release, { version, dataFormat }: InstalledProgram): void {
  if (release.dataFormat >= dataFormat) return;
  throw new CliError(
    "not_upgradable",
    `Cannot install svc ${release.version}: it reads data format ${release.dataFormat}, but svc ${version} writes format ${dataFormat}`,
    {
      hint:
        "To downgrade, install it elsewhere and use a data directory restored from a backup of that version",
    },
  );
}

/** Returns whether the version numbers alone show that there is nothing to do. */
function isCurrent(
  release: Release,
  installed: InstalledProgram,
  request: UpgradeRequest,
): boolean {
  if (request.force) return false;
  if (request.version !== undefined) return release.version === installed.version;
  return compare(release.version, installed.version) <= 0;
}

/** Runs a program with `--version`. Returns its output, or the first line of its error. */
async function sayVersion(path: string): Promise<string> {
  const decoder = new TextDecoder();
  try {
    const { success, stdout, stderr } = await runProgram(path, {
      args: ["--version"],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
    const [line = ""] = decoder.decode(success ? stdout : stderr).trim().split("\n");
    return line;
  } catch (error) {
    return describeFileFault(error);
  }
}

/**
 * Runs the new program once, because a program that does not start must not replace a working one.
 */
async function assertStarts(path: string, version: string): Promise<void> {
  const said = await sayVersion(path);
  if (said === version) return;
  throw new CliError("not_upgradable", `svc ${version} does not start on this machine: ${said}`, {
    hint: "Nothing was installed. Choose another release with --version",
  });
}

interface Arrival {
  readonly program: ReleaseProgram;
  readonly release: Release;
  readonly progress: Progress;
}

async function receive(
  files: ProgramFiles,
  { program, release, progress }: Arrival,
  parts: UpgradeParts,
): Promise<void> {
  const mode = ((await Deno.stat(files.program)).mode ?? 0o755) & 0o777;
  await Deno.remove(files.incoming).catch(() => {});
  const file = await Deno.open(files.incoming, { write: true, createNew: true, mode: 0o700 });
  try {
    await downloadProgram(program, file, {
      ...parts.from,
      version: release.version,
      onBytes: (bytes) => progress.add({ files: 0, bytes }),
    });
  } finally {
    file.close();
    progress.end();
  }
  if (Deno.build.os !== "windows") await Deno.chmod(files.incoming, mode | 0o500);
  await assertStarts(files.incoming, release.version);
}

async function install(release: Release, parts: UpgradeParts): Promise<UpgradeOutcome> {
  const { installed, ui } = parts;
  const program = programFor(release, installed.target);
  const files = programFiles(installed.path);
  const outcome = {
    version: release.version,
    previous: installed.version,
    path: installed.path,
  };
  await using _lock = await lockUpgrade(files.lock);
  const current = await fileDigest(files.program);
  // Another process has already upgraded, or the release is already installed.
  if (current === program.program.sha256) return { ...outcome, changed: false };
  const progress = ui.progress("install", {
    label: `Downloading svc ${release.version}`,
    files: 1,
    bytes: program.size,
  });
  try {
    await receive(files, { program, release, progress }, parts);
    await writeRecord(files.record, [
      [current, { version: installed.version, dataFormat: installed.dataFormat }],
      [program.program.sha256, { version: release.version, dataFormat: release.dataFormat }],
    ]);
    await replaceProgram(files);
  } finally {
    await Deno.remove(files.incoming).catch(() => {});
  }
  return { ...outcome, changed: true };
}

/**
 * Replaces the program with a release. The old program works until the new one is complete.
 *
 * @throws {CliError} if the release cannot or must not be installed. In that case, nothing changes.
 */
export async function performUpgrade(
  parts: UpgradeParts,
  request: UpgradeRequest,
): Promise<UpgradeOutcome> {
  const { installed } = parts;
  try {
    const release = await findRelease(parts.from, request.version);
    if (isCurrent(release, installed, request)) {
      const { version, path } = installed;
      return { version, previous: version, path, changed: false };
    }
    assertReadsData(release, installed);
    return await install(release, parts);
  } catch (error) {
    if (error instanceof ReleaseError) {
      throw new CliError("release_unusable", error.message, {
        hint: error.hint,
        cause: error,
      });
    }
    throw explainPlace(error, installed.path);
  }
}
