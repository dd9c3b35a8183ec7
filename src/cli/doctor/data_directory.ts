/** @module Checks the owner, mode and format of the data directory. */
import { join } from "node:path";
import {
  DATA_FORMAT,
  type FormatMark,
  FormatMarkError,
  isUnfinished,
  readFormatMark,
} from "../../lib/data_format.ts";
import { findWriteFault, type WriteFault } from "../../lib/file_fault.ts";
import type { Point } from "./point.ts";

const DIRECTORY = "data directory";
const FORMAT = "data format";

/** Checks the mode of a data directory. `mode` is `undefined` if the directory is missing. */
export function judgeDataDir(
  dataDir: string,
  mode: number | null | undefined,
  fault?: WriteFault,
): Point {
  const name = DIRECTORY;
  if (fault !== undefined) {
    return {
      name,
      state: "fail",
      found: `${dataDir} cannot be written: ${fault.reason}`,
      advice: "Run svc as its owner, or choose another directory with --data-dir",
    };
  }
  if (mode === undefined) {
    return { name, state: "ok", found: `svc serve will create ${dataDir}` };
  }
  if (mode === null || (mode & 0o077) === 0) {
    return { name, state: "ok", found: `${dataDir} is accessible only to its owner` };
  }
  // `svc serve --postgres local` sets this mode when the platform runs as root.
  if ((mode & 0o077) === 0o010) {
    return {
      name,
      state: "ok",
      found: `${dataDir} is accessible only to its owner; its group can traverse it`,
    };
  }
  return {
    name,
    state: "fail",
    found: `${dataDir} is accessible to others (mode ${(mode & 0o777).toString(8)})`,
    advice: `Restrict it: chmod 700 ${dataDir}`,
  };
}

/** Checks the format of a data directory. */
export function judgeFormat(mark: FormatMark, own: number = DATA_FORMAT): Point {
  const { format, program, migration } = mark;
  const name = FORMAT;
  if (format > own) {
    const found =
      `svc ${program} wrote it in format ${format}, but this version reads up to ${own}`;
    const advice = "Use the newer version (svc upgrade), or restore an earlier backup";
    return { name, state: "fail", found, advice };
  }
  if (migration !== undefined) {
    return {
      name,
      state: "fail",
      found: `its migration to format ${format} is incomplete`,
      advice:
        `Start svc serve to continue the migration, or restore ${migration.backup} for the older version`,
    };
  }
  if (format < own) {
    const advice = "Start svc serve: it creates a backup in the directory, then migrates the data";
    return { name, state: "warn", found: `format ${format}; this program's is ${own}`, advice };
  }
  return { name, state: "ok", found: `${format}, written by svc ${program}` };
}

/** Examines the format. Returns `undefined` if the directory has no format marker. */
async function examineFormat(dataDir: string): Promise<Point | undefined> {
  const name = FORMAT;
  try {
    if (await isUnfinished(dataDir)) {
      const found = "svc restore was interrupted";
      return { name, state: "fail", found, advice: "Delete the directory and restore again" };
    }
    const mark = await readFormatMark(dataDir);
    return mark && judgeFormat(mark);
  } catch (error) {
    if (!(error instanceof FormatMarkError)) throw error;
    const advice = "Restore the file, or a backup of the directory";
    return { name, state: "fail", found: error.message, advice };
  }
}

interface ExaminedDirectory {
  readonly points: readonly Point[];
  /** Whether this user and this program can read the directory's content. */
  readonly isReadable: boolean;
}

/** Checks a data directory without leaving any files in it. */
export async function examineDataDir(dataDir: string): Promise<ExaminedDirectory> {
  const mode = await Deno.stat(dataDir).then((facts) => facts.mode, () => undefined);
  const fault = await findWriteFault(join(dataDir, "format.json"));
  const directory = judgeDataDir(dataDir, mode, fault);
  if (fault !== undefined) return { points: [directory], isReadable: false };
  const format = await examineFormat(dataDir);
  if (format === undefined) return { points: [directory], isReadable: true };
  return { points: [directory, format], isReadable: format.state !== "fail" };
}
