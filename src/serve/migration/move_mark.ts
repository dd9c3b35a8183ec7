/**
 * Marks a move in progress with a file in the data directory and a record in the target. Both
 * prevent a platform from starting. If only files are moved, the record is in the record store,
 * which stays where it is.
 *
 * @module
 */
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { ifMissing } from "../../lib/missing_files.ts";
import { readTextFile } from "../../lib/utf8.ts";
import { keys } from "../../platform/core/store/mod.ts";
import { MigrationError } from "./migration_error.ts";
import type { RecordStore } from "../../store/mod.ts";

const ends = z.object({ from: z.string(), to: z.string() });

const moveSchema = z.object({
  /** A random ID that is also in the target's record. */
  id: z.string(),
  /** Locations, without secrets. */
  records: ends.optional(),
  files: ends.optional(),
});
export type Move = Readonly<z.infer<typeof moveSchema>>;

/** A move's sources and targets. */
export type Places = Pick<Move, "records" | "files">;

const fileOf = (dataDir: string) => join(dataDir, "move.json");

/** Returns a data directory's unfinished move, if there is one. */
export async function readMove(dataDir: string): Promise<Move | undefined> {
  const path = fileOf(dataDir);
  try {
    return moveSchema.parse(JSON.parse(await readTextFile(path)));
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return undefined;
    throw new MigrationError(
      `Cannot read ${path}, the record of the move: delete it, empty the target, and start again`,
      { cause },
    );
  }
}

/** Whether two moves have the same sources and targets. */
export function isSameMove(one: Places, other: Places): boolean {
  const text = ({ records, files }: Places) =>
    JSON.stringify([records?.from, records?.to, files?.from, files?.to]);
  return text(one) === text(other);
}

/** The record stores in a move. `target` is `undefined` if only files are moved. */
interface MoveStores {
  readonly source: RecordStore;
  readonly target: RecordStore | undefined;
}

/** Records the move before any data is moved. */
export async function beginMove(
  dataDir: string,
  move: Move,
  { source, target }: MoveStores,
): Promise<void> {
  await writeFileAtomically(fileOf(dataDir), `${JSON.stringify(move)}\n`, { mode: 0o600 });
  if (target !== undefined) await target.set(keys.meta("move"), { id: move.id });
  else await source.set(keys.meta("files-move"), { to: move.files!.to });
}

/**
 * Removes the file and the record when the target is complete. From then on, a platform can start
 * on the target.
 */
export async function endMove(dataDir: string, { source, target }: MoveStores): Promise<void> {
  if (target !== undefined) await target.delete(keys.meta("move"));
  else await source.delete(keys.meta("files-move"));
  await forgetMove(dataDir);
}

/** Removes the move's file from the data directory. */
export async function forgetMove(dataDir: string): Promise<void> {
  await Deno.remove(fileOf(dataDir)).catch(ifMissing);
}

/**
 * Returns the ID of the unfinished move whose target is this store; `undefined` if there is none.
 */
export async function findMark(store: RecordStore): Promise<string | undefined> {
  const { value } = await store.get(keys.meta("move"));
  return value === null ? undefined : moveSchema.safeParse(value).data?.id ?? "";
}
