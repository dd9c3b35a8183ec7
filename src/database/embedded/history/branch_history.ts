/**
 * @module The history of one branch: copies of the branch's files (bases), and write-ahead log
 * segments that the branch no longer needs. Newer segments are still in the branch's own folder.
 *
 * Restoring a branch works like crash recovery: PostgreSQL replays the log on the files of a base.
 * The copied log is cut off before the first transaction that ended after the requested time.
 */
import { dirname, join } from "node:path";
import { writeFileAtomically } from "../../../lib/atomic_file.ts";
import { ifMissing, namesIn, removeTree } from "../../../lib/missing_files.ts";
import { renameDurably, syncFolder, syncTree } from "../../../lib/sync_folder.ts";
import { readTextFile } from "../../../lib/utf8.ts";
import {
  type Base,
  baseName,
  type HistoryContent,
  readBaseName,
  segmentNumber,
} from "../../history_plan.ts";
import { EngineError } from "../../types.ts";
import { listBelow, withoutCheckpoint } from "../branch_files.ts";
import type { BranchFolders, BranchNames } from "../branch_folder.ts";
import {
  CONTROL_FILE,
  firstNeeded,
  LOG_FOLDER,
  readCheckpoint,
  SEGMENT_BYTES,
  segmentAt,
  segmentsIn,
} from "./log_position.ts";
import { LogReader } from "./log_reader.ts";

const NOTE = "base.json";
const FILES = "files";
const REMOVED = "removed";
const UNFINISHED = "unfinished";

/** The metadata of a base. */
interface BaseNote {
  readonly bytes: number;
  /**
   * The log must be replayed at least to this position, because the files were being written while
   * they were copied.
   */
  readonly end: number;
  /** Names of the database and the role in the files. */
  readonly names: BranchNames;
}

export class BranchHistory {
  readonly #wal: string;
  readonly #bases: string;

  constructor(
    readonly folder: string,
    readonly branch: { readonly id: string; readonly folders: BranchFolders },
  ) {
    this.#wal = join(folder, "wal");
    this.#bases = join(folder, "bases");
  }

  /** Folder of the branch's own log. */
  get #log(): string {
    return join(this.#data, LOG_FOLDER);
  }

  get #data(): string {
    return this.branch.folders.data(this.branch.id);
  }

  /** Returns the branch's bases, oldest first. */
  async bases(): Promise<Base[]> {
    const bases: Base[] = [];
    for (const name of await namesIn(this.#bases)) {
      const base = readBaseName(name);
      if (base === undefined) continue;
      const note = await this.#note(name).catch(ifMissing);
      if (note !== undefined) bases.push({ ...base, bytes: note.bytes });
    }
    return bases;
  }

  /** Returns the content of the history, including segments in the branch's own folder. */
  async content(): Promise<HistoryContent> {
    const names = new Set([...await segmentsIn(this.#wal), ...await segmentsIn(this.#log)]);
    const segments = [...names].sort().map((name) => ({ name, bytes: SEGMENT_BYTES }));
    return { bases: await this.bases(), segments };
  }

  async #note(base: string): Promise<BaseNote> {
    return JSON.parse(await readTextFile(join(this.#bases, base, NOTE)));
  }

  /**
   * Returns the time when the branch was removed, in milliseconds since 1970, or `undefined` if it
   * was not removed.
   */
  async removedAt(): Promise<number | undefined> {
    const text = await readTextFile(join(this.folder, REMOVED)).catch(ifMissing);
    return text === undefined ? undefined : Number(text);
  }

  /** Moves the log that the branch no longer needs to the history. */
  async collect(): Promise<void> {
    await withoutCheckpoint(this.branch, async () => {
      const first = await firstNeeded(this.#data);
      await this.#take((name) => name < first);
    });
  }

  async #take(isWanted: (segment: string) => boolean): Promise<void> {
    const names = (await segmentsIn(this.#log)).filter(isWanted);
    if (names.length === 0) return;
    await makePrivate(this.#wal);
    for (const name of names) await Deno.rename(join(this.#log, name), join(this.#wal, name));
    await syncFolder(this.#wal);
    await syncFolder(this.#log);
  }

  /** Keeps the files that are needed to restore a removed branch. */
  async keepRemoved(now: number): Promise<void> {
    if ((await this.bases()).length === 0) return await this.remove();
    await this.#take(() => true);
    await writeFileAtomically(join(this.folder, REMOVED), String(now));
  }

  /**
   * Copies the branch's files. This works even during writes, because the log contains each page
   * that changes in the meantime. Does nothing if the branch is removed.
   *
   * @returns the size of the base in bytes
   */
  async makeBase(signal: AbortSignal): Promise<number> {
    const { folders, id } = this.branch;
    const unfinished = join(this.folder, `${UNFINISHED}-${crypto.randomUUID()}`);
    await makePrivate(unfinished);
    try {
      const control = await this.#copyFiles(join(unfinished, FILES), signal);
      const names = await folders.names(id);
      if (control === undefined || names === undefined) return 0;
      const checkpoint = readCheckpoint(control.content);
      const { end, latest } = await this.#read(checkpoint.redo);
      const note: BaseNote = { names, bytes: control.bytes, end };
      // Later times can be restored from this base, because its files contain no later changes.
      const at = Math.max(checkpoint.at, latest);
      await Deno.writeTextFile(join(unfinished, NOTE), JSON.stringify(note));
      await syncTree(unfinished);
      await makePrivate(this.#bases);
      await renameDurably(unfinished, join(this.#bases, baseName(at, segmentAt(checkpoint.redo))));
      return note.bytes;
    } finally {
      await removeTree(unfinished);
    }
  }

  /** Copies everything but the log, starting with the file that says where the replay begins. */
  async #copyFiles(
    to: string,
    signal: AbortSignal,
  ): Promise<{ readonly content: Uint8Array; readonly bytes: number } | undefined> {
    const content = await withoutCheckpoint(
      this.branch,
      () => Deno.readFile(join(this.#data, CONTROL_FILE)),
    );
    if (content === undefined) return undefined;
    const { folders, files } = await listBelow(this.#data);
    await makePrivate(to);
    for (const folder of folders) await makePrivate(join(to, folder));
    let bytes = content.byteLength;
    for (const file of files) {
      signal.throwIfAborted();
      if (file === CONTROL_FILE || dirname(file).startsWith(LOG_FOLDER)) continue;
      bytes += await copyIfThere(join(this.#data, file), join(to, file));
    }
    await Deno.writeFile(join(to, CONTROL_FILE), content, { mode: 0o600 });
    return { content, bytes };
  }

  async #read(position: number): Promise<LogReader> {
    const reader = new LogReader(position);
    for (const name of await this.#segmentsFrom(segmentAt(position))) {
      const pages = await Deno.readFile(await this.#pathOf(name));
      if (!reader.read(pages, positionOf(name))) break;
    }
    return reader;
  }

  /** Returns the consecutive segments, starting with the given one. */
  async #segmentsFrom(first: string): Promise<string[]> {
    const { segments } = await this.content();
    const names = segments.map(({ name }) => name).filter((name) => name >= first);
    return names.filter((name, index) =>
      positionOf(name) === positionOf(first) + index * SEGMENT_BYTES
    );
  }

  async #pathOf(segment: string): Promise<string> {
    const path = join(this.#wal, segment);
    return await Deno.stat(path).then(() => path, () => join(this.#log, segment));
  }

  /** Returns the size in bytes of a copy of the branch as it was at a given time. */
  async bytesAt(time: number): Promise<number> {
    const { segment, bytes } = await this.#baseAt(time);
    return bytes + (await this.#segmentsFrom(segment)).length * SEGMENT_BYTES;
  }

  /** @throws {EngineError} */
  async #baseAt(time: number): Promise<Base> {
    const base = (await this.bases()).findLast(({ at }) => at <= time);
    if (base === undefined) throw new EngineError("The history does not go back that far", "22023");
    return base;
  }

  /**
   * Copies the branch's state at a given time to a new branch, for PostgreSQL to open.
   *
   * @returns possible names of its database and role, most likely first
   * @throws {EngineError}
   */
  async copyAt(time: number, target: string): Promise<BranchNames[]> {
    const { folders } = this.branch;
    const base = await this.#baseAt(time);
    await folders.copyFrom(join(this.#bases, base.name, FILES), target);
    const to = folders.data(target);
    const { end } = await this.#note(base.name);
    const control = await Deno.readFile(join(to, CONTROL_FILE));
    const reader = new LogReader(readCheckpoint(control).redo, time);
    for (const name of await this.#segmentsFrom(base.segment)) {
      const path = join(to, LOG_FOLDER, name);
      await Deno.copyFile(await this.#pathOf(name), path);
      // The code reads the copy, because the branch may be writing to the original.
      const pages = await Deno.readFile(path);
      if (reader.read(pages, positionOf(name))) continue;
      // Data after the end is overwritten with zeros, because recovery could treat it as part of
      // the log.
      const kept = Math.max(0, reader.end - positionOf(name));
      await Deno.writeFile(path, pages.fill(0, kept));
      break;
    }
    if (reader.end < end) {
      throw new EngineError("The history cannot be restored: its log is damaged", "58000");
    }
    await syncTree(to);
    return await this.#namesSince(base);
  }

  /**
   * Returns all names that the branch has had since a base was created. Names change when a copy is
   * first opened, and when the database is renamed.
   */
  async #namesSince(base: Base): Promise<BranchNames[]> {
    const later = (await this.bases()).filter(({ at }) => at >= base.at);
    const noted = await Promise.all(later.map(async ({ name }) => (await this.#note(name)).names));
    const current = await this.branch.folders.names(this.branch.id);
    const all = [...noted, ...(current === undefined ? [] : [current])];
    const texts = all.map(({ database, role }) => JSON.stringify({ database, role }));
    return [...new Set(texts)].map((text) => JSON.parse(text) as BranchNames);
  }

  /** Removes files that a killed process has left behind. */
  async removeUnfinished(): Promise<void> {
    for (const name of await namesIn(this.folder)) {
      if (name.startsWith(UNFINISHED)) await removeTree(join(this.folder, name));
    }
  }

  /** Removes the bases that a plan does not keep, and then the segments that it does not keep. */
  async keepOnly({ bases, segments }: Pick<HistoryContent, "bases" | "segments">): Promise<void> {
    const kept = new Set([...bases, ...bases.length === 0 ? [] : segments].map(({ name }) => name));
    for (const { name } of await this.bases()) {
      if (kept.has(name)) continue;
      const unfinished = join(this.folder, `${UNFINISHED}-${crypto.randomUUID()}`);
      await renameDurably(join(this.#bases, name), unfinished);
      await removeTree(unfinished);
    }
    for (const name of await segmentsIn(this.#wal)) {
      if (!kept.has(name)) await Deno.remove(join(this.#wal, name));
    }
  }

  async remove(): Promise<void> {
    await removeTree(this.folder);
  }
}

/** Returns the position of a segment's first byte. */
const positionOf = (segment: string): number =>
  segmentNumber(segment, SEGMENT_BYTES) * SEGMENT_BYTES;

const makePrivate = (folder: string): Promise<void> =>
  Deno.mkdir(folder, { recursive: true, mode: 0o700 });

/** Copies a file that PostgreSQL may be removing. Returns the size of the copied file. */
async function copyIfThere(from: string, to: string): Promise<number> {
  const copied = await Deno.copyFile(from, to).then(() => Deno.stat(to)).catch(ifMissing);
  return copied?.size ?? 0;
}
