/** The limits for each size in `--cu-size`. Pure. @module */
import type { CuSize } from "../../contract/databases.ts";
import type { BranchLimits } from "../../database/mod.ts";

/** Limits on the memory and connections of each branch, by the database's size. */
export const SIZES: Readonly<Record<CuSize, BranchLimits>> = {
  "0.25": { memoryMb: 256, connections: 20 },
  "0.5": { memoryMb: 512, connections: 40 },
  "1.0": { memoryMb: 1024, connections: 80 },
  "2.0": { memoryMb: 2048, connections: 160 },
  "4.0": { memoryMb: 4096, connections: 320 },
  "8.0": { memoryMb: 8192, connections: 640 },
};

/** Maximum number of databases per project. Deleted databases are counted separately. */
export const MAX_DATABASES = 10;
/** Maximum number of branches per database, including `main`. */
export const MAX_BRANCHES = 50;
/** Maximum number of manual snapshots per database. */
export const MAX_MANUAL_SNAPSHOTS = 20;
/** Number of daily snapshots to keep per database. */
export const KEPT_DAILY_SNAPSHOTS = 7;
/** How long a deleted database can be restored, in milliseconds. */
export const GRACE_MS = 7 * 24 * 60 * 60 * 1000;
