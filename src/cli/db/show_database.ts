/** @module Formats databases as readable text. */
import type { Database, DatabaseHistory } from "../../contract/databases.ts";
import { formatAge, formatBytes } from "../terminal/format.ts";
import { formatFacts } from "../terminal/table.ts";

/** Formats a size in bytes. `null` stands for an unknown size. */
export function formatSize(bytes: number | null): string {
  return bytes === null ? "unknown" : formatBytes(bytes);
}

/** Describes the variable that deployments get for a database. */
export function formatInjection({ autoInject, envVar, environments }: Database): string {
  if (!autoInject) return "off";
  return `${envVar} in ${environments === null ? "all environments" : environments.join(", ")}`;
}

/** Describes the effect of a size on memory. On a server, all databases share the memory. */
function formatSizeLimit({ cuSize, memoryMb, engine }: Database): string {
  if (engine === "server") {
    return `${cuSize}: sets connections and work_mem; the server sets memory`;
  }
  return `${cuSize}: ${memoryMb} MiB per branch`;
}

/** Describes how far back data can be restored, and how much storage the history uses. */
function formatHistory(
  { since, keepDays, sizeBytes, maxBytes, problem }: DatabaseHistory,
): string {
  const range = since === null ? "none yet" : `any time since ${since}`;
  const cost = `keeps ${keepDays} days, in ${formatBytes(sizeBytes)} of ` +
    `at most ${formatBytes(maxBytes)}, for all databases`;
  return `${problem ?? range}; ${cost}`;
}

/** Formats a database's properties, including the effects of its engine. */
export function formatDatabase(database: Database, now: number): string {
  const facts = formatFacts([
    ["name", database.name],
    ["id", database.id],
    ["state", database.state],
    ["reason", database.reason],
    ["engine", database.engine],
    ["version", database.version],
    ["cu size", formatSizeLimit(database)],
    ["connections", `at most ${database.maxConnections} at a time per branch`],
    ["branches", String(database.branches)],
    ["size", formatSize(database.sizeBytes)],
    ["history", database.history && formatHistory(database.history)],
    ["auto-inject", formatInjection(database)],
    ["preview branches", database.previewBranches ? "on" : "off"],
    ["created", formatAge(database.createdAt, now)],
    ["deleted", database.deletedAt],
    ["permanently removed", database.removedAt],
  ]);
  return [facts, ...database.notes.map((note) => `* ${note}`)].join("\n");
}
