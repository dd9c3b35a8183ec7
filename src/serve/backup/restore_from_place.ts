/**
 * Lists and restores the backups in a location.
 *
 * @module
 */
import type { Environment } from "../../lib/network_variables.ts";
import { BackupError } from "./backup_layout.ts";
import { openPlace } from "./repository/open_place.ts";
import {
  type BackupList,
  backupNames,
  listBackups,
  readArchive,
  readManifest,
} from "./repository/repository.ts";
import { openPlain, openWith, readIdentities } from "./repository/sealing.ts";
import { restoreBackup, type Restored, type RestoreOptions } from "./restore_backup.ts";

/** @throws {BackupError} */
export async function listPlace(place: string, env: Environment): Promise<BackupList> {
  const opened = await openPlace(place, env);
  try {
    return await listBackups(opened);
  } finally {
    opened.close();
  }
}

interface PlaceRestoreOptions extends Pick<RestoreOptions, "dataDir" | "takesDamaged"> {
  readonly place: string;
  /** Name of the backup; by default, the newest one. */
  readonly at?: string;
  /** File with the secret key for an encrypted backup. */
  readonly identityFile?: string;
  readonly env: Environment;
}

/**
 * Restores one of the backups in a location.
 *
 * @throws {BackupError}
 */
export async function restoreFromPlace(
  options: PlaceRestoreOptions,
): Promise<Restored & { readonly name: string }> {
  const { at, dataDir, takesDamaged = false, identityFile, env } = options;
  const place = await openPlace(options.place, env);
  try {
    const name = at ?? (await backupNames(place)).at(-1);
    if (name === undefined) {
      throw new BackupError(
        `There are no backups in ${place.name}`,
        "Check the location in --from",
      );
    }
    const { parts, recipients } = await readManifest(place, name);
    if (recipients.length > 0 && identityFile === undefined) {
      throw new BackupError(
        `Cannot open the backup ${name}: it is encrypted to ${recipients.join(", ")}`,
        "Add --identity with the file of the matching secret key",
      );
    }
    const opening = recipients.length === 0
      ? openPlain
      : openWith(await readIdentities(identityFile!));
    const restored = await restoreBackup({
      from: `${name} of ${place.name}`,
      open: () => readArchive(place, name, { parts, opening }),
      dataDir,
      takesDamaged,
    });
    return { name, ...restored };
  } finally {
    place.close();
  }
}
