/**
 * Adds databases to a backup: the files of embedded branches, SQL dumps of branches on a server,
 * and dumps from a restored backup that are still to be imported. Each file or dump is a consistent
 * snapshot.
 *
 * @module
 */
import { dirname, join } from "node:path";
import {
  type DatabaseEngine,
  EngineError,
  LOCAL,
  openServerEngine,
  withBranchFiles,
} from "../../database/mod.ts";
import { messageOf } from "../../lib/error_message.ts";
import { lockInTime } from "../../lib/file_lock.ts";
import { ifMissing } from "../../lib/missing_files.ts";
import {
  dumpName,
  DUMPS_FOLDER,
  pendingDumps,
  shownStorages,
} from "../../platform/databases/mod.ts";
import type { ArchiveWriter } from "./archive_writer.ts";
import { readStoreCopy } from "./copy_store.ts";
import { BackupError, DATABASES, FOLDERS } from "./backup_layout.ts";

type Storage = Awaited<ReturnType<typeof shownStorages>>[number];

export interface AddDatabasesOptions {
  readonly dataDir: string;
  /** Folder for temporary files. */
  readonly folder: string;
  /** URL of the PostgreSQL server with the databases. It is not needed for `--postgres local`. */
  readonly postgres: string | undefined;
}

interface FoundDatabases {
  readonly storages: readonly Storage[];
  /** Dumps from a restored backup, by the ID of the original storage. */
  readonly dumps: readonly string[];
}

/** Reads which databases there are from a copy of the store. */
export function databasesIn(copy: string): Promise<FoundDatabases> {
  return readStoreCopy(copy, async (kv) => ({
    storages: await shownStorages(kv),
    dumps: await pendingDumps(kv),
  }));
}

/** Copies a file of a running database. Returns false if the file no longer exists. */
async function copyFile(from: string, to: string): Promise<boolean> {
  await Deno.mkdir(dirname(to), { recursive: true });
  return await Deno.copyFile(from, to).then(() => true).catch(ifMissing) ?? false;
}

/** Adds databases without duplicates. */
export class DatabaseAdder {
  readonly #added = new Set<string>();
  readonly #missingDumps = new Set<string>();
  #server: Promise<ServerOfBackup> | undefined;

  readonly #archive: ArchiveWriter;
  readonly #options: AddDatabasesOptions;

  constructor(archive: ArchiveWriter, options: AddDatabasesOptions) {
    this.#archive = archive;
    this.#options = options;
  }

  /**
   * Adds the missing databases. Returns false if a database has been deleted in the meantime,
   * because newer records are then needed.
   *
   * @throws {BackupError}
   */
  async add({ storages, dumps }: FoundDatabases): Promise<boolean> {
    for (const id of dumps) if (!await this.#addPendingDump(id)) return false;
    for (const storage of storages) {
      if (this.#added.has(storage.id)) continue;
      const isThere = storage.engine === "embedded"
        ? await this.#addFiles(storage)
        : await this.#addDump(storage);
      if (!isThere) return false;
      this.#added.add(storage.id);
    }
    return true;
  }

  /** Closes everything that was opened. */
  async close(): Promise<void> {
    await (await this.#server?.catch(() => undefined))?.close();
  }

  /**
   * Copies the files before archiving them. The branch cannot start while its files are read, and
   * writing the archive may be slow because of the network.
   */
  async #addFiles({ id }: Storage): Promise<boolean> {
    const options = this.#options;
    const copy = await Deno.makeTempDir({ dir: options.folder, prefix: "database-" });
    try {
      const folders: string[] = [];
      const paths: string[] = [];
      const isThere = await withBranchFiles(
        { folder: join(options.dataDir, DATABASES), id },
        async (part) => {
          folders.push(...part.folders);
          for (const { path, from } of part.files) {
            if (await copyFile(from, join(copy, path))) paths.push(path);
          }
        },
      );
      if (!isThere) return false;
      const root = `${DATABASES}/${id}`;
      await this.#archive.addContent(`${root}/${FOLDERS}`, JSON.stringify(folders));
      for (const path of paths.sort()) {
        await this.#archive.addFile(`${root}/${path}`, join(copy, path));
      }
      return true;
    } finally {
      await Deno.remove(copy, { recursive: true });
    }
  }

  /** A dump that is missing twice was not imported in the meantime, so it cannot be backed up. */
  async #addPendingDump(id: string): Promise<boolean> {
    const path = `${DUMPS_FOLDER}/${dumpName(id)}`;
    if (this.#archive.has(path) || this.#missingDumps.has(id)) return true;
    if (await this.#archive.addFile(path, join(this.#options.dataDir, path))) return true;
    this.#missingDumps.add(id);
    return false;
  }

  async #addDump({ id }: Storage): Promise<boolean> {
    this.#server ??= openServer(this.#options);
    const { engine } = await this.#server;
    const archive = this.#archive;
    const options = this.#options;
    const file = await Deno.makeTempFile({ dir: options.folder, prefix: "dump-" });
    try {
      const branch = { id, database: "", role: "", limits: { memoryMb: 0, connections: 0 } };
      const dump = engine.dump(branch, { schemaOnly: false });
      await dump.pipeTo((await Deno.open(file, { write: true })).writable);
      return await archive.addFile(`${DUMPS_FOLDER}/${dumpName(id)}`, file);
    } catch (cause) {
      if (!(cause instanceof EngineError)) throw cause;
      if (!(await engine.list()).includes(id)) return false;
      throw unreachable(cause);
    } finally {
      await Deno.remove(file);
    }
  }
}

interface ServerOfBackup {
  readonly engine: DatabaseEngine;
  close(): Promise<void>;
}

function unreachable(cause: unknown): BackupError {
  return new BackupError(
    `Cannot back up the databases on the PostgreSQL server: ${messageOf(cause)}`,
    "If it is not in the data directory, set SVC_POSTGRES_URL, as for svc serve",
    { cause },
  );
}

/** Opens the platform's server. If the server in the data directory is not running, starts it. */
async function openServer({ dataDir, postgres }: AddDatabasesOptions): Promise<ServerOfBackup> {
  const isLocal = await Deno.stat(join(dataDir, "postgres", "data")).then(() => true, () => false);
  if (postgres === undefined && !isLocal) {
    throw unreachable(new Error("the URL of their server is unknown"));
  }
  // A platform that starts at this moment must not find a server that is about to stop.
  const lock = await Deno.open(join(dataDir, "lock"), { write: true, create: true, mode: 0o600 });
  const isIdle = await lockInTime(lock);
  try {
    const engine = await openServerEngine({
      postgres: postgres ?? LOCAL,
      dataFolder: dataDir,
      memoryBytes: 0,
      attaches: true,
      onTrouble: () => {},
    });
    const close = async () => {
      await engine.close();
      if (isIdle) lock.close();
    };
    return { engine, close };
  } catch (error) {
    if (isIdle) lock.close();
    throw unreachable(error);
  }
}
