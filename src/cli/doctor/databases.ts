/** @module The checks that `svc doctor` runs on managed databases. The checks change nothing. */
import { formatBytes, formatCount } from "../../lib/format.ts";
import { messageOf } from "../../lib/error_message.ts";
import type { DatabaseFacts } from "../../serve/mod.ts";
import type { Point } from "./point.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** End of support for each major version, from PostgreSQL's versioning policy. */
const SUPPORTED_UNTIL: ReadonlyMap<number, string> = new Map([
  [14, "2026-11-12"],
  [15, "2027-11-11"],
  [16, "2028-11-09"],
  [17, "2029-11-08"],
  [18, "2030-11-14"],
]);

/** Maximum fraction of connections in use at which new branches are still possible. */
const MOST_IN_USE = 0.9;
/**
 * Minimum number of connections that the server must allow: enough for a database of the smallest
 * size and for the platform.
 */
const LEAST_CONNECTIONS = 25;
/**
 * Maximum time in milliseconds for which an expired database can exist without a fault.
 * Housekeeping runs every hour.
 */
const UNSWEPT_MS = DAY_MS;
/** Maximum number of names to list in a message. */
const MOST_NAMES = 5;

function namesOf(all: readonly { readonly name: string }[]): string {
  const names = all.slice(0, MOST_NAMES).map(({ name }) => name);
  const more = all.length - names.length;
  return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

const oldSupport = (major: number, now: number): string | undefined => {
  const until = SUPPORTED_UNTIL.get(major);
  if (until === undefined) return major < 14 ? "before 2026" : undefined;
  return now > Date.parse(until) + DAY_MS ? `on ${until}` : undefined;
};

function judgeVersion(name: string, found: string, version: string, now: number): Point {
  const major = Number.parseInt(version);
  const ended = oldSupport(major, now);
  return ended === undefined ? { name, state: "ok", found } : {
    name,
    state: "warn",
    found: `${found}; support for this version ended ${ended}`,
    advice: "Install a newer PostgreSQL next to it, and move the databases (svc db move)",
  };
}

/** Checks the local server in the data directory, without connecting to it. */
export function judgeCluster({ cluster, isServed }: DatabaseFacts): readonly Point[] {
  if (cluster === undefined) return [];
  const { folder, made, installed, runs, mode, lastWords } = cluster;
  const name = "local PostgreSQL";
  const points: Point[] = [];
  if (!installed.some((version) => Number.parseInt(version) === made)) {
    points.push({
      name,
      state: "fail",
      found: `the databases in ${folder} need PostgreSQL ${made}, which is not installed`,
      advice: `Install it (for example the package postgresql-${made}), or add its folder to PATH`,
    });
  }
  if (isServed && !runs) {
    points.push({
      name,
      state: "fail",
      found: `the server in ${folder} is not running` + (lastWords === "" ? "" : `: ${lastWords}`),
      advice:
        "Check the svc serve log and the files in its log folder. The platform restarts the server automatically",
    });
  }
  if (mode !== null && (mode & 0o077) !== 0) {
    points.push({
      name,
      state: "fail",
      found: `${folder}/data is accessible to others (mode ${(mode & 0o777).toString(8)})`,
      advice: `Restrict it: chmod 700 ${folder}/data`,
    });
  }
  if (points.length > 0) return points;
  const state = runs ? "runs" : "is stopped until svc serve --postgres local starts it";
  return [{ name, state: "ok", found: `PostgreSQL ${made} in ${folder} ${state}` }];
}

/** Checks the history of embedded databases, and of the local server in the data directory. */
function judgeHistory({ cluster, embedded, isServed }: DatabaseFacts): readonly Point[] {
  return [embedded.history, cluster?.history].flatMap((history) =>
    history === undefined ? [] : [judgeOneHistory(history, isServed)]
  );
}

function judgeOneHistory(
  history: NonNullable<DatabaseFacts["embedded"]["history"]>,
  isServed: boolean,
): Point {
  const name = "database history";
  const cost = `${formatBytes(history.bytes)} on disk`;
  if (history.since !== undefined) {
    const since = new Date(history.since).toISOString();
    const found = `databases can be restored to any point in time since ${since}; ${cost}`;
    return { name, state: "ok", found };
  }
  const found = `databases cannot be restored to an earlier time; ${cost}`;
  return isServed
    ? { name, state: "warn", found, advice: "Wait a minute, then check the svc serve log" }
    : { name, state: "ok", found };
}

/** Checks the database server based on its responses. */
export function judgeServer(facts: DatabaseFacts, now: number): readonly Point[] {
  const { server, serverProblem, records } = facts;
  const name = "database server";
  if (serverProblem !== undefined) {
    const advice = "Check the address, the network, and the password in SVC_POSTGRES_URL";
    return [{ name, state: "fail", found: serverProblem, advice }];
  }
  if (server === undefined) return [];
  const { version, mayCreate, mostConnections, connections } = server;
  const found = `PostgreSQL ${version}, ${connections} of ${mostConnections} connections in use`;
  if (!mayCreate) {
    return [{
      name,
      state: "fail",
      found: `${found}; the role cannot create databases and roles`,
      advice: "Grant both: ALTER ROLE <role> CREATEDB CREATEROLE",
    }];
  }
  if (mostConnections < LEAST_CONNECTIONS || connections > mostConnections * MOST_IN_USE) {
    const advice = "Raise max_connections. Each database allows 20 or more connections (cu-size)";
    return [{ name, state: "warn", found, advice }];
  }
  const largest = records?.largestOnServer;
  if (largest !== undefined && largest.connections > mostConnections) {
    return [{
      name,
      state: "warn",
      found: `${found}; the size of ${largest.name} allows ${largest.connections} connections`,
      advice: "Raise max_connections if clients are refused (53300)",
    }];
  }
  return [judgeVersion(name, found, version, now)];
}

/** Compares the size of the embedded databases' files with the free space. */
export function judgeEmbedded({ embedded }: DatabaseFacts, freeBytes: number): readonly Point[] {
  const { branches, sizeBytes, largestBytes, clones } = embedded;
  if (branches.length === 0) return [];
  const name = "embedded databases";
  const kept = `${formatCount(branches.length, "folder")} of ${formatBytes(sizeBytes)}`;
  const found = `${kept}; a branch is a ${clones === true ? "clone" : "full copy"}`;
  if (clones === true || freeBytes > 2 * largestBytes) return [{ name, state: "ok", found }];
  return [{
    name,
    state: "warn",
    found: `${found}; ${formatBytes(freeBytes)} free`,
    advice: "Free some space: a copy of the largest needs " + formatBytes(largestBytes),
  }];
}

/** Compares the databases in the platform's records with the databases in the engines. */
export function judgeRecords(facts: DatabaseFacts, now: number): readonly Point[] {
  const { records, embedded, server, isServed } = facts;
  if (records === undefined || (records.databases === 0 && records.deleted.length === 0)) return [];
  const points: Point[] = [];
  const say = (state: "warn" | "fail", found: string, advice: string) =>
    points.push({ name: "database records", state, found, advice });
  for (const { name, reason } of records.failed.slice(0, MOST_NAMES)) {
    say("fail", `${name} failed: ${reason}`, "Fix the cause, then create it again");
  }
  const held = {
    embedded: embedded.branches,
    server: server?.branches.filter((id) => !server.withoutDatabase.includes(id)),
  };
  const missing = records.shown.filter(({ engine, id }) => held[engine]?.includes(id) === false);
  if (missing.length > 0) {
    say(
      "fail",
      `the engine lacks ${namesOf(missing)}`,
      "Restore them: svc db snapshots restore latest, or svc restore from a backup",
    );
  }
  const strays = [...held.embedded, ...server?.branches ?? []].filter((id) =>
    !records.named.has(id)
  );
  if (strays.length > 0) {
    say(
      "warn",
      `the engines have databases without a record: ${strays.join(", ")}`,
      "No action needed: svc serve removes them after a day",
    );
  }
  const late = records.expired.filter(({ expiresAt }) => expiresAt + UNSWEPT_MS < now);
  if (late.length > 0) {
    say(
      "warn",
      `${namesOf(late)} should have been removed more than a day ago`,
      isServed ? "Check the svc serve log: housekeeping fails" : "Start svc serve: it removes them",
    );
  }
  for (const { name, removedAt } of records.deleted) {
    if (removedAt - now > DAY_MS) continue;
    const when = new Date(removedAt).toISOString().slice(0, 16).replace("T", " ");
    say(
      "warn",
      `${name} was deleted and will be removed permanently at ${when} UTC`,
      "Restore it with svc db undelete",
    );
  }
  if (points.length > 0) return points;
  const found = formatCount(records.databases, "database");
  return [{ name: "database records", state: "ok", found: `${found}, all found in their engines` }];
}

export async function examineDatabases(
  { dataDir, postgres, env, freeBytes, now }: {
    readonly dataDir: string;
    readonly postgres?: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    /** Free space on the data directory's file system. */
    readonly freeBytes: number;
    readonly now: number;
  },
): Promise<readonly Point[]> {
  const { inspectDatabases } = await import("../../serve/mod.ts");
  try {
    const options = { dataDir, env, postgres };
    const facts = await inspectDatabases(options);
    return [
      ...judgeCluster(facts),
      ...judgeHistory(facts),
      ...judgeServer(facts, now),
      ...judgeEmbedded(facts, freeBytes),
      ...judgeRecords(facts, now),
    ];
  } catch (error) {
    return [{
      name: "database records",
      state: "fail",
      found: `the database records cannot be read: ${messageOf(error)}`,
      advice:
        `Run svc doctor as the owner of ${dataDir}, with a version that is not older than the data`,
    }];
  }
}
