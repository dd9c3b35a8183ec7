/**
 * Opens the backup location that the operator has set.
 *
 * @module
 */
import { isS3Place, isSftpPlace } from "../../../lib/is_s3_place.ts";
import type { Environment } from "../../../lib/network_variables.ts";
import { openFolder, type Place } from "./place.ts";

/**
 * Opens a location for backups.
 *
 * @throws {BackupError} if the location cannot be used. The message says what to do.
 */
export async function openPlace(place: string, env: Environment): Promise<Place> {
  if (isSftpPlace(place)) {
    const { openSftpPlace } = await import("./sftp_place.ts");
    return await openSftpPlace(place);
  }
  if (!isS3Place(place)) return await openFolder(place);
  const { openS3Place } = await import("./s3_backup_place.ts");
  return await openS3Place(place, env);
}
