/** Migrates a data directory to this program's format after a backup. @module */
import { systemClock } from "../lib/clock.ts";
import { isS3Place } from "../lib/is_s3_place.ts";
import { makeBackup } from "./backup/make_backup.ts";
import type { DataPlaces } from "./migrate_format.ts";
import { type FormatOptions, settleFormat } from "./settle_format.ts";

/**
 * Marks a new data directory with its format, migrates an older directory after a backup, and
 * rejects a newer one.
 * @throws {DataNewerError | DataNotMigratedError | DataIncompleteError}
 */
export async function bringUpToDate(
  places: DataPlaces,
  options: Omit<FormatOptions, "places" | "backUp">,
): Promise<void> {
  const { dataDir, kv, blobs } = places;
  const { version } = options;
  const kept = { dataDir, kv, ...(isS3Place(blobs) ? {} : { blobs }) };
  const backUp = async (to: string) => {
    await makeBackup({ ...kept, to, version, now: systemClock });
  };
  await settleFormat({ ...options, places, backUp });
}
