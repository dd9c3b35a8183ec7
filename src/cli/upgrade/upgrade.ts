/** @module Upgrades the program, or restores the version before the last upgrade. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { readFormatMark } from "../../lib/data_format.ts";
import { ifMissing } from "../../lib/missing_files.ts";
import { versionOfTag } from "../../release/mod.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { dataFolder } from "../session/user_folders.ts";
import { findOldPrograms, type OldProgram } from "../serve/running_program.ts";
import { type InstalledProgram, installedProgram } from "./installed_program.ts";
import { findOwner } from "./package_owner.ts";
import { explainPlace, performUpgrade, type UpgradeOutcome } from "./perform_upgrade.ts";
import { releasePlace } from "./release_place.ts";
import { type ProgramFiles, programFiles } from "./program_files.ts";
import { exchangePrograms } from "./replace_program.ts";
import { lockUpgrade } from "./upgrade_lock.ts";
import { fileDigest, type ProgramFacts, readRecord } from "./upgrade_record.ts";

async function previousFacts(files: ProgramFiles): Promise<ProgramFacts> {
  const digest = await fileDigest(files.previous).catch(ifMissing);
  if (digest === undefined) {
    throw new CliError("not_found", `Cannot roll back: ${files.previous} does not exist`, {
      hint: "Only the previous version is kept. Install another one with --version",
    });
  }
  const facts = (await readRecord(files.record)).get(digest);
  if (facts !== undefined) return facts;
  throw new CliError(
    "not_upgradable",
    `Cannot roll back: ${files.previous} is not the program that the last upgrade replaced`,
    { hint: "Install a specific release with svc upgrade --version <tag>" },
  );
}

/**
 * Swaps the program with the version before the last upgrade. A second rollback undoes the first.
 *
 * @param stored format of the data directory, or `undefined` if there is none.
 * @throws {CliError} if there is no previous program, or if it cannot read the data.
 */
export async function performRollback(
  installed: InstalledProgram,
  stored: number | undefined,
): Promise<UpgradeOutcome> {
  const files = programFiles(installed.path);
  try {
    await using _lock = await lockUpgrade(files.lock);
    const { version, dataFormat } = await previousFacts(files);
    if (stored !== undefined && dataFormat < stored) {
      throw new CliError(
        "not_upgradable",
        `Cannot roll back to svc ${version}: it reads data format ${dataFormat}, but the data directory has format ${stored}`,
        {
          hint: "First use svc restore to restore the backup created before the migration",
        },
      );
    }
    await exchangePrograms(files);
    return { version, previous: installed.version, path: installed.path, changed: true };
  } catch (error) {
    throw explainPlace(error, installed.path);
  }
}

function tag(text: string): string {
  const version = versionOfTag(text);
  if (version !== undefined) return version;
  throw new InvalidArgumentError("Expected the tag of a release, such as v1.2.3.");
}

async function assertOwn({ path }: InstalledProgram): Promise<void> {
  const owner = await findOwner(path);
  if (owner === undefined) return;
  throw new CliError("not_upgradable", `Cannot replace ${path}: ${owner.name} installed it`, {
    hint: "Upgrade it with that package manager",
    next: [owner.command],
  });
}

/** Returns the format of the default data directory, or `undefined` if there is none. */
async function storedFormat(ctx: Context): Promise<number | undefined> {
  return (await readFormatMark(dataFolder(ctx.env)))?.format;
}

/** Describes a process that still runs the old program, and names the command that replaces it. */
function describeOld(old: OldProgram): string {
  if (old.kind === "service") {
    return `The service for ${old.path} still runs the old version. Restart it with ${old.command}`;
  }
  const missing = old.leftOut.length === 0 ? "" : `, and add its ${old.leftOut.join(" and ")}`;
  return `A platform (process ${old.pid}) still runs the old version. Restart it without dropping requests with ${old.command}${missing}`;
}

async function report(ctx: Context, outcome: UpgradeOutcome, verb: string): Promise<void> {
  const { version, previous, path, changed } = outcome;
  const place = { path, os: Deno.build.os, home: ctx.env.HOME ?? "", folder: Deno.cwd() };
  const restart = changed ? await findOldPrograms(place) : [];
  ctx.ui.done(
    "install",
    changed ? `${verb} svc ${previous} to ${version} in ${path}` : `svc ${version} is installed`,
  );
  for (const old of restart) ctx.ui.log("install", "warn", describeOld(old));
  ctx.ui.result({ ...outcome, restart }, version);
}

export default defineCommand({
  description:
    "Downloads the latest release for this system, verifies its signature and digest, and replaces this program in one step. The previous version is kept for --rollback. A running svc serve keeps its version until you restart it; the command shows how. Set SVC_RELEASES_URL for another release server.",
  define: (command) =>
    command
      .option("--version <tag>", "release to install, such as v1.2.3 (default: the latest)", tag)
      .option("--force", "install it even if this version is the same or newer")
      .option("--rollback", "return to the version before the last upgrade"),
  examples: [
    ["upgrade", "install the latest release"],
    ["upgrade --version v1.2.3", "install a specific release"],
    ["upgrade --rollback", "return to the previous version"],
  ],
  async run({ flags }, ctx) {
    if (flags.rollback && (flags.version !== undefined || flags.force)) {
      throw new CliError("usage", "Cannot use --rollback with --version or --force");
    }
    const installed = await installedProgram();
    await assertOwn(installed);
    if (flags.rollback) {
      const outcome = await performRollback(installed, await storedFormat(ctx));
      return await report(ctx, outcome, "Rolled back");
    }
    const parts = { installed, from: releasePlace(ctx), ui: ctx.ui };
    const { version, force = false } = flags;
    await report(ctx, await performUpgrade(parts, { version, force }), "Upgraded");
  },
});
