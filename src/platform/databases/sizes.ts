/**
 * Meanings of the sizes of `--cu-size`. Pure.
 *
 * @module
 */
import type { CuSize } from "../../contract/databases.ts";
import type { BranchLimits } from "../../database/mod.ts";

/** Each branch of a database may take this much. */
export const SIZES: Readonly<Record<CuSize, BranchLimits>> = {
  "0.25": { memoryMb: 256, connections: 20 },
  "0.5": { memoryMb: 512, connections: 40 },
  "1.0": { memoryMb: 1024, connections: 80 },
  "2.0": { memoryMb: 2048, connections: 160 },
  "4.0": { memoryMb: 4096, connections: 320 },
  "8.0": { memoryMb: 8192, connections: 640 },
};

/** Databases of one project, those apart that are deleted. */
export const MAX_DATABASES = 10;
/** Branches of one database, `main` among them. */
export const MAX_BRANCHES = 50;
/** Snapshots of one database that people make. */
export const MAX_MANUAL_SNAPSHOTS = 20;
/** Daily snapshots of one database. */
export const KEPT_DAILY_SNAPSHOTS = 7;
/** How long a deleted database can be restored, in milliseconds. */
export const GRACE_MS = 7 * 24 * 60 * 60 * 1000;
