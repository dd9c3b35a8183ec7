/**
 * @module The history of a local PostgreSQL server: restores databases to any time within the last
 * few days. PostgreSQL copies its write-ahead log to a folder. The platform adds a base backup each
 * day.
 */
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../../lib/clock.ts";
import { messageOf } from "../../../lib/error_message.ts";
import { formatBytes } from "../../../lib/format.ts";
import { KeyedLock } from "../../../lib/keyed_lock.ts";
import { type Rounds, startRounds } from "../../../lib/rounds.ts";
import { renameDurably } from "../../../lib/sync_folder.ts";
import { readTextFile } from "../../../lib/utf8.ts";
import { baseName, type HistoryLimits, historySize, planHistory } from "../../history_plan.ts";
import { EngineError, type HistoryFacts } from "../../types.ts";
import { Admin } from "../admin.ts";
import type { ServerHistory, ServerSource } from "../server_source.ts";
import { makePrivate, runAsOwner } from "./cluster_files.ts";
import { basesFolder, readHistory, SEGMENT_BYTES, walFolder } from "./history_files.ts";
import { endRecovered, type RecoveredOptions, withRecovered } from "./recovered_server.ts";

const FIRST_MS = 500;
const LOOK_MS = 60_000;
/** Pause after a base backup that failed or was too large, in milliseconds. */
const RETRY_MS = 60 * 60_000;
/** Maximum time until PostgreSQL has copied a segment, in milliseconds. */
const ARCHIVE_MS = 60_000;
const ARCHIVE_LOOK_MS = 50;
const LOCK = "history";
const BASE_FILE = "base.tar.gz";
const MANIFEST = "backup_manifest";
/** Whether the server copies its log, and whether copying fails. */
const STATE = "SELECT current_setting('archive_mode'), " +
  "last_failed_time > coalesce(last_archived_time, '-infinity') FROM pg_stat_archiver";
const UNFINISHED = "unfinished";
/**
 * Number of bytes that a copy must leave free on the disk, because the platform also writes there.
 */
const RESERVE = 256 * 1024 * 1024;

export interface HistoryOptions extends HistoryLimits {
  readonly now: Clock;
}

interface LocalHistoryOptions
  extends HistoryOptions, Pick<RecoveredOptions, "programsFolder" | "owner" | "settings"> {
  /** Folder of the history. */
  readonly folder: string;
  readonly source: ServerSource;
  readonly onTrouble: (message: string) => void;
}

/** Creates the folders, and removes leftovers of a killed process. */
export async function prepareHistory(
  folder: string,
  { programsFolder, owner }: Pick<LocalHistoryOptions, "owner" | "programsFolder">,
): Promise<void> {
  for (const each of [folder, basesFolder(folder), walFolder(folder)]) {
    await makePrivate(each, owner);
  }
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.startsWith(UNFINISHED)) continue;
    // A killed platform's backup may still be writing to the folder. In that case, the next start
    // removes it.
    await endRecovered(join(folder, name), { programsFolder, owner }).catch(() => {});
  }
}

export class LocalHistory implements ServerHistory {
  readonly #lock = new KeyedLock();
  readonly #admin: Admin;
  readonly #rounds: Rounds;
  #problem: string | null = null;
  #nextBaseAt = 0;

  readonly #options: LocalHistoryOptions;

  constructor(options: LocalHistoryOptions) {
    this.#options = options;
    this.#admin = new Admin(options.source);
    this.#rounds = startRounds({
      firstMs: FIRST_MS,
      everyMs: LOOK_MS,
      run: (signal) =>
        this.#lock.run(LOCK, () => this.#round(signal)).catch((error) => {
          if (!signal.aborted) throw error;
        }),
      onError: (error) => this.#fail(`Cannot keep the database history: ${messageOf(error)}`),
    });
  }

  /** Describes the restorable period, and the disk space that it needs. */
  async facts(): Promise<HistoryFacts> {
    const { folder, keepMs, maxBytes } = this.#options;
    const content = await readHistory(folder);
    return {
      since: content.bases[0]?.at ?? null,
      bytes: historySize(content),
      keepMs,
      maxBytes,
      problem: this.#problem,
    };
  }

  /**
   * Calls `work` with a server that has the state of all databases at a given time.
   *
   * @throws {EngineError}
   */
  at<T>(time: number, work: (server: ServerSource) => Promise<T>): Promise<T> {
    return this.#lock.run(LOCK, () => this.#at(time, work));
  }

  async #at<T>(time: number, work: (server: ServerSource) => Promise<T>): Promise<T> {
    const { folder, source } = this.#options;
    const { bases } = await readHistory(folder);
    const base = bases.findLast(({ at }) => at <= time);
    if (base === undefined) throw new EngineError("The history does not go back that far", "22023");
    await this.#requireSpace();
    await this.#archiveAll();
    const { login } = await source.reach();
    const from = join(basesFolder(folder), base.name);
    return await withRecovered({
      ...this.#options,
      login,
      time,
      history: folder,
      folder: join(folder, `${UNFINISHED}-${crypto.randomUUID()}`),
      base: join(from, BASE_FILE),
      manifest: join(from, MANIFEST),
    }, work);
  }

  /** @throws {EngineError} if a copy of all databases would fill the disk */
  async #requireSpace(): Promise<void> {
    const [row] = await this.#admin.run(["SELECT sum(pg_database_size(oid)) FROM pg_database"]);
    const { bavail, bsize } = await statfs(this.#options.folder);
    const [free, needed] = [bavail * bsize, Number(row?.[0] ?? 0) + RESERVE];
    if (free >= needed) return;
    throw new EngineError(
      `The disk has ${formatBytes(free)} free, but a copy of all databases needs ${
        formatBytes(needed)
      }`,
      "53100",
    );
  }

  /** Waits until the history contains every commit so far, and one more. */
  async #archiveAll(): Promise<void> {
    // Recovery stops at the first commit after the time, so there must be such a commit.
    await this.#admin.run(["SELECT txid_current()"]);
    const [row] = await this.#admin.run([
      "SELECT pg_walfile_name(lsn) FROM (SELECT pg_switch_wal() - 1 AS lsn) AS switched",
    ]);
    const path = join(walFolder(this.#options.folder), row![0]!);
    const end = performance.now() + ARCHIVE_MS;
    while (!await Deno.stat(path).then(() => true, () => false)) {
      if (performance.now() > end) {
        throw new EngineError("PostgreSQL does not copy its log to the history", "58000");
      }
      await delay(ARCHIVE_LOOK_MS);
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { folder, now } = this.#options;
    const [[mode, fails] = []] = await this.#admin.run([STATE]);
    if (mode !== "on") {
      return this.#fail("The database history starts when PostgreSQL restarts");
    }
    // Old history is removed first, because this may free the space that PostgreSQL needs.
    const { needsBase } = await this.#prune();
    if (fails === "t") {
      return this.#fail(
        "PostgreSQL cannot copy its write-ahead log to the history: check the server's log",
      );
    }
    if (needsBase && now() >= this.#nextBaseAt && !signal.aborted) {
      this.#nextBaseAt = now() + RETRY_MS;
      await this.#requireSpace();
      await this.#makeBase(signal);
      const { bases } = await this.#prune();
      const { maxBytes } = this.#options;
      if ((bases.at(-1)?.bytes ?? 0) > maxBytes) {
        for (const { name } of bases) await this.#removeBase(name);
        return this.#fail(
          "The database history does not fit: one base backup is larger than " +
            "--db-history-size. Raise it, or turn the history off with --db-history-days 0",
        );
      }
      this.#nextBaseAt = 0;
    }
    // The history works as soon as it has a base backup.
    if ((await readHistory(folder)).bases.length > 0) this.#problem = null;
  }

  async #makeBase(signal: AbortSignal): Promise<void> {
    const { folder, programsFolder, owner, source, now } = this.#options;
    const { address: { endpoint }, login } = await source.reach();
    if (endpoint.transport !== "unix") throw new TypeError("A local server has a Unix socket");
    const unfinished = join(folder, `${UNFINISHED}-${crypto.randomUUID()}`);
    const [, socket, port] = /^(.*)\/\.s\.PGSQL\.(\d+)$/.exec(endpoint.path) ?? [];
    try {
      await runAsOwner(join(programsFolder, "pg_basebackup"), {
        args: [
          `--pgdata=${unfinished}`,
          `--host=${socket}`,
          `--port=${port}`,
          `--username=${login.user}`,
          "--no-password",
          "--format=tar",
          "--compress=1",
          "--checkpoint=fast",
          "--wal-method=none",
        ],
        owner,
        signal,
        env: { PGPASSWORD: login.password ?? "" },
      });
      const segment = firstSegment(await readTextFile(join(unfinished, MANIFEST)));
      await renameDurably(unfinished, join(basesFolder(folder), baseName(now(), segment)));
    } finally {
      await Deno.remove(unfinished, { recursive: true }).catch(() => {});
    }
  }

  /** Removes old and excess content. Each base is removed before the log that it needs. */
  async #prune() {
    const { folder, keepMs, maxBytes, now } = this.#options;
    const content = await readHistory(folder);
    const plan = planHistory(content, {
      keepMs,
      maxBytes,
      now: now(),
      segmentBytes: SEGMENT_BYTES,
    });
    for (const base of content.bases) {
      if (!plan.bases.includes(base)) await this.#removeBase(base.name);
    }
    for (const segment of content.segments) {
      if (!plan.segments.includes(segment)) {
        await Deno.remove(join(walFolder(folder), segment.name));
      }
    }
    return plan;
  }

  async #removeBase(name: string): Promise<void> {
    const { folder } = this.#options;
    const unfinished = join(folder, `${UNFINISHED}-${crypto.randomUUID()}`);
    await renameDurably(join(basesFolder(folder), name), unfinished);
    await Deno.remove(unfinished, { recursive: true });
  }

  #fail(problem: string): void {
    if (this.#problem !== problem) this.#options.onTrouble(problem);
    this.#problem = problem;
  }

  /** Stops the rounds, and waits for the work in progress. */
  async close(): Promise<void> {
    await this.#rounds.close();
    await this.#lock.run(LOCK, () => Promise.resolve());
  }
}

/** Finds the first segment that a base backup needs, based on the backup's manifest. */
function firstSegment(manifest: string): string {
  const [range] = JSON.parse(manifest)["WAL-Ranges"];
  const [file, offset] = String(range["Start-LSN"]).split("/");
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(8, "0");
  const segment = Number.parseInt(offset!, 16) >>> 24;
  return hex(range.Timeline) + hex(Number.parseInt(file!, 16)) + hex(segment);
}
