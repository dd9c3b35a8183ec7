/** @module Positions in the write-ahead log of an embedded branch, and its segments. */
import { join } from "node:path";
import { namesIn } from "../../../lib/missing_files.ts";
import { SEGMENT_NAME } from "../../history_plan.ts";

/** Size of a segment, in bytes, as set in the template for an empty database. */
export const SEGMENT_BYTES = 4 * 1024 * 1024;

export const LOG_FOLDER = "pg_wal";
/** The file that names the last checkpoint. */
export const CONTROL_FILE = "global/pg_control";

const SEGMENTS_PER_FILE = 2 ** 32 / SEGMENT_BYTES;
/** Version of the control file in PostgreSQL 18. */
const CONTROL_VERSION = 1800;
/** Offsets in the control file (src/include/catalog/pg_control.h). */
const [VERSION_AT, REDO_AT, TIME_AT] = [8, 40, 104];

const hex = (value: number): string => value.toString(16).toUpperCase().padStart(8, "0");

/**
 * Returns the name of the segment that contains a position. The timeline is always 1, because crash
 * recovery does not start a new one.
 */
export function segmentAt(position: number): string {
  const number = Math.floor(position / SEGMENT_BYTES);
  return hex(1) + hex(Math.floor(number / SEGMENTS_PER_FILE)) + hex(number % SEGMENTS_PER_FILE);
}

interface Checkpoint {
  /** Position at which a replay starts. */
  readonly redo: number;
  /** The end of the second in which the checkpoint started, in milliseconds since 1970. */
  readonly at: number;
}

/** Reads the last checkpoint from the content of a control file. */
export function readCheckpoint(control: Uint8Array): Checkpoint {
  const view = new DataView(control.buffer, control.byteOffset, control.byteLength);
  const version = view.getUint32(VERSION_AT, true);
  if (version !== CONTROL_VERSION) {
    throw new Error(`The control file of a database has an unknown version: ${version}`);
  }
  return {
    redo: Number(view.getBigUint64(REDO_AT, true)),
    at: Number(view.getBigInt64(TIME_AT, true)) * 1000 + 999,
  };
}

/**
 * Returns the first segment that is needed to open the files of a branch.
 *
 * @param data the folder with its files, while no checkpoint runs
 */
export async function firstNeeded(data: string): Promise<string> {
  return segmentAt(readCheckpoint(await Deno.readFile(join(data, CONTROL_FILE))).redo);
}

/**
 * Returns the names of the segments in a folder, in order. Returns none if the folder is missing.
 */
export async function segmentsIn(folder: string): Promise<string[]> {
  return (await namesIn(folder)).filter((name) => SEGMENT_NAME.test(name));
}

/** Removes the unneeded log of an idle branch. */
export async function removeOldLog(data: string): Promise<void> {
  const first = await firstNeeded(data);
  const folder = join(data, LOG_FOLDER);
  for (const name of await segmentsIn(folder)) {
    if (name < first) await Deno.remove(join(folder, name));
  }
}
