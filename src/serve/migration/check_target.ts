/**
 * Determines the state of a move's target: empty, partly moved, complete, or something else.
 * @module
 */
import { MigrationError } from "./migration_error.ts";
import type { FilesReport, RecordsReport } from "./migration_options.ts";
import { compareFiles, hasFiles } from "./move_files.ts";
import { findMark, isSameMove, type Move, readMove } from "./move_mark.ts";
import { compareRecords, hasRecords } from "./move_records.ts";
import type { Opened } from "./open_ends.ts";

export type Found =
  | { readonly kind: "empty" }
  | { readonly kind: "begun"; readonly move: Move }
  | { readonly kind: "equal"; readonly records?: RecordsReport; readonly files?: FilesReport };

/**
 * Compares the target with the source. Returns the target's counts if they are equal, and otherwise
 * `undefined`.
 */
async function findEqual(
  { from, to, vaults }: Opened,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const records = to && await compareRecords({ from, to }, signal);
  if (records !== undefined && "record" in records) return undefined;
  const files = vaults && await compareFiles(vaults);
  if (vaults !== undefined && files === undefined) return undefined;
  return {
    kind: "equal",
    ...(records && { records: { ...records, copied: 0 } }),
    ...(files && { files: { ...files, copied: 0 } }),
  };
}

/** @throws {MigrationError} if the target contains anything that this move did not write. */
export async function findTarget(opened: Opened, signal: AbortSignal): Promise<Found> {
  const { dataDir, move, to, vaults } = opened;
  const begun = await readMove(dataDir.root);
  const isSame = begun !== undefined && isSameMove(begun, move);
  const mark = to === undefined ? undefined : await findMark(to.kv);
  if (mark !== undefined) {
    if (isSame && mark === begun.id) return { kind: "begun", move: begun };
    throw new MigrationError(
      `Cannot move records to ${move.records!.to}: it contains another unfinished move. Use an ` +
        "empty store, or empty this one",
    );
  }
  const isFilled = {
    records: to !== undefined && await hasRecords(to),
    files: vaults !== undefined && await hasFiles(vaults.to),
  };
  if (isSame && !isFilled.records) return { kind: "begun", move: begun };
  if (!isFilled.records && !isFilled.files) return { kind: "empty" };
  const equal = await findEqual(opened, signal);
  if (equal !== undefined) return equal;
  throw new MigrationError(
    isFilled.records
      ? `Cannot move records to ${move.records!.to}: it contains data ` +
        (isSame
          ? "that has changed since the move. "
          : "that is not part of an unfinished move. ") +
        "Use an empty store, or empty this one"
      : `Cannot move files to ${move.files!.to}: it contains files that this move did not write. ` +
        "Use an empty target, or empty this one",
  );
}
