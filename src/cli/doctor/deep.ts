/**
 * @module The checks in `svc doctor --deep`: reads and compares everything that the platform
 * stores.
 */
import { join } from "node:path";
import { formatCount } from "../../lib/format.ts";
import type { Verified } from "../../serve/mod.ts";
import type { Point } from "./point.ts";

/** Maximum number of damaged items that are listed individually. The rest are only counted. */
const MOST_POINTS = 20;

const ADVICE =
  "Restore an earlier backup (svc restore) in another directory. svc serve logs damaged records, sets them aside and serves the rest";

/** Evaluates the result of the deep check. */
function judgeDeep(verified: Verified): readonly Point[] {
  const { records, unchecked, blobs, pages, uncheckedDatabases, damage, more } = verified;
  const points: Point[] = damage.slice(0, MOST_POINTS).map((found) => ({
    name: "stored data",
    state: "fail",
    found,
    advice: ADVICE,
  }));
  const rest = Math.max(0, damage.length - MOST_POINTS) + more;
  if (rest > 0) {
    points.push({
      name: "stored data",
      state: "fail",
      found: `${rest} more items are damaged`,
      advice: ADVICE,
    });
  }
  const read = `${formatCount(records, "record")}, ${formatCount(blobs, "blob")}, and ` +
    formatCount(pages, "page") + " of databases read";
  if (damage.length === 0) {
    const old = unchecked === 0
      ? ""
      : `; ${formatCount(unchecked, "record")} from an older svc have no checksum yet`;
    points.push({ name: "stored data", state: "ok", found: read + old });
  }
  for (const folder of uncheckedDatabases) {
    points.push({
      name: "database checksums",
      state: "warn",
      found: `${folder} has pages without checksums, so damage cannot be detected`,
      advice: `Stop svc serve, and run pg_checksums --enable -D ${folder} as its owner`,
    });
  }
  return points;
}

/** Reads and checks everything that the platform stores. */
export async function examineDeep(
  { dataDir, ...options }: {
    readonly dataDir: string;
    readonly kv?: string;
    readonly blobs?: string;
    readonly keys?: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly now: number;
  },
): Promise<readonly Point[]> {
  const isThere = await Deno.stat(options.kv ?? join(dataDir, "kv.sqlite3")).then(
    () => true,
    () => options.kv !== undefined,
  );
  if (!isThere) return [];
  const { verifyData } = await import("../../serve/mod.ts");
  return judgeDeep(await verifyData({ dataDir, ...options }));
}
