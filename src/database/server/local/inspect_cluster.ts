/** @module Inspects the PostgreSQL cluster in a data folder without starting or changing it. */
import { join } from "node:path";
import { ifMissing } from "../../../lib/missing_files.ts";
import { readTextFile } from "../../../lib/utf8.ts";
import { historySize } from "../../history_plan.ts";
import { clusterVersion, historyFolder } from "./cluster_files.ts";
import { findPostgres } from "./find_postgres.ts";
import { readHistory } from "./history_files.ts";
import { runningServer } from "./running_server.ts";

export interface ClusterFacts {
  readonly folder: string;
  /** The major version of PostgreSQL that created the cluster. */
  readonly made: number;
  /** PostgreSQL versions on this machine, newest first, such as `17.6`. */
  readonly installed: readonly string[];
  readonly runs: boolean;
  /** File mode of the cluster's folder, or null if the system has no file modes. */
  readonly mode: number | null;
  /** History on disk, or `undefined` if there is none. */
  readonly history: { readonly since: number | undefined; readonly bytes: number } | undefined;
  /** The server's last output when it started. */
  readonly lastWords: string;
}

const LAST_LINES = 3;

async function inspectHistory(folder: string): Promise<ClusterFacts["history"]> {
  if (await Deno.stat(folder).catch(ifMissing) === undefined) return undefined;
  const content = await readHistory(folder);
  return { since: content.bases[0]?.at, bytes: historySize(content) };
}

/** Describes the cluster in a platform's data folder. Returns `undefined` if there is none. */
export async function inspectCluster(
  dataFolder: string,
  path: string,
): Promise<ClusterFacts | undefined> {
  const folder = join(dataFolder, "postgres");
  const made = await clusterVersion(folder);
  if (made === undefined) return undefined;
  const data = join(folder, "data");
  const said = await readTextFile(join(folder, "start.log")).catch(() => "");
  return {
    folder,
    made,
    installed: (await findPostgres(path)).map(({ version }) => version),
    runs: await runningServer(data) !== undefined,
    mode: (await Deno.stat(data)).mode,
    history: await inspectHistory(historyFolder(folder)),
    lastWords: said.trim().split("\n").slice(-LAST_LINES).join(" "),
  };
}
