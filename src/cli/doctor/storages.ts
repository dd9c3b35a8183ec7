/** @module Checks the stores that nodes share: records in PostgreSQL, and object storage. */
import type { StoreFacts } from "../../serve/mod.ts";
import type { Point } from "./point.ts";

const OLDEST_VERSION = 140_000;

/**
 * Maximum difference between clocks, in milliseconds. Both the nodes and the database record the
 * times of deployments and events, so people notice a difference of one second.
 */
const MOST_SKEW_MS = 1000;

/** Checks a PostgreSQL server that can be reached. Returns a point for each possible problem. */
export function judgeStore(facts: StoreFacts): readonly Point[] {
  const { version, versionNumber, mayWrite, isMade, skewMs } = facts;
  const made = isMade ? "with svc's tables" : "svc will create its tables";
  const [name, found] = ["key-value store", `PostgreSQL ${version}, ${made}`];
  const points: Point[] = [];
  if (versionNumber < OLDEST_VERSION) {
    const advice = "Use PostgreSQL 14 or newer";
    points.push({ name, state: "fail", found, advice });
  } else if (!mayWrite) {
    const advice = isMade
      ? "Grant the role SELECT, INSERT, UPDATE and DELETE on all tables of the schema svc, and " +
        "EXECUTE on its functions"
      : "Grant the role CREATE on the database: it creates the schema svc";
    points.push({ name, state: "fail", found: `${found}; the role cannot write`, advice });
  } else points.push({ name, state: "ok", found });
  return [...points, judgeStandbys(facts), judgeClock(skewMs)];
}

function judgeStandbys({ standbys, commitsWait }: StoreFacts): Point {
  const name = "standbys";
  if (!commitsWait) {
    return {
      name,
      state: "warn",
      found: "with this synchronous_commit, a failure can lose acknowledged commits",
      advice: "Set synchronous_commit to on for svc's role",
    };
  }
  if (standbys !== "") return { name, state: "ok", found: `commits wait for ${standbys}` };
  return {
    name,
    state: "warn",
    found: "no synchronous standby, so losing the primary loses the last commits",
    advice:
      "With Patroni, set synchronous_mode and synchronous_mode_strict. A database with replicated storage needs no standby",
  };
}

function judgeClock(skewMs: number): Point {
  const name = "database clock";
  const found = `${Math.abs(skewMs)} ms ${skewMs < 0 ? "behind" : "ahead of"} this machine's`;
  if (Math.abs(skewMs) <= MOST_SKEW_MS) return { name, state: "ok", found };
  return { name, state: "warn", found, advice: "Sync both clocks with NTP" };
}

/** Checks the store that `--kv` names, without changing it. */
export async function examineStore(
  place: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Point[]> {
  const { inspectPlatformStore } = await import("../../serve/mod.ts");
  try {
    return judgeStore(await inspectPlatformStore(place, env));
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    const advice = "Check the address, the network and the password for --kv";
    return [{ name: "key-value store", state: "fail", found, advice }];
  }
}

/** Stores, reads and deletes an object in the object storage that `--blobs` names. */
export async function examineBlobs(
  place: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Point> {
  const { probeObjectStorage } = await import("../../serve/mod.ts");
  const name = "object storage";
  try {
    await probeObjectStorage(place, env);
    return { name, state: "ok", found: "lists, stores, reads and deletes objects" };
  } catch (error) {
    return {
      name,
      state: "fail",
      found: error instanceof Error ? error.message : String(error),
      advice:
        "Check the URL in --blobs and the access keys. They need permission to list, put, get and delete objects in the bucket",
    };
  }
}
