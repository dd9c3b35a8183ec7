/**
 * Going back to the program before the last upgrade.
 *
 * @module
 */
import { CliError } from "../errors/cli_error.ts";
import type { InstalledProgram } from "./installed_program.ts";
import { explainPlace, type UpgradeOutcome } from "./perform_upgrade.ts";
import { type ProgramFiles, programFiles } from "./program_files.ts";
import { exchangePrograms } from "./replace_program.ts";
import { lockUpgrade } from "./upgrade_lock.ts";
import { fileDigest, type ProgramFacts, readRecord } from "./upgrade_record.ts";

async function previousFacts(files: ProgramFiles): Promise<ProgramFacts> {
  const digest = await fileDigest(files.previous).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  });
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
 * Exchanges the program and the one before the last upgrade, so that a second rollback
 * undoes the first.
 *
 * @param stored format of the data directory; `undefined` where there is none.
 * @throws {CliError} where there is no such program, or it does not read the data.
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
        { hint: "First restore the backup from before the migration with svc restore" },
      );
    }
    await exchangePrograms(files);
    return { version, previous: installed.version, path: installed.path, changed: true };
  } catch (error) {
    throw explainPlace(error, installed.path);
  }
}
