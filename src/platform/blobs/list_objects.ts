/**
 * Lists one page of a store's keys, in byte order. A folder of any size costs one lookup, because
 * the folder's contents are skipped.
 *
 * @module
 */
import type { RecordStore } from "../../store/mod.ts";
import { type BlobPlace, type ObjectRecord, objectRecord, objects } from "./object_record.ts";

export interface ObjectSelection {
  readonly prefix: string;
  /**
   * Keys that contain the delimiter after the prefix are shown as one folder, up to the delimiter.
   */
  readonly delimiter?: string | undefined;
  /** Lists only keys and folders that come after this string. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface ObjectPage {
  readonly items: readonly ObjectRecord[];
  /** Folders: the keys up to the delimiter. */
  readonly prefixes: readonly string[];
  /** The value of `after` for the next page; `null` on the last page. */
  readonly next: string | null;
}

/**
 * Returns the first string after all strings with a given prefix, or `undefined` if there is none.
 */
function behind(prefix: string): string | undefined {
  const characters = [...prefix];
  const last = characters.pop()?.codePointAt(0);
  if (last === undefined || last === 0x10ffff) return undefined;
  // Lone surrogates are not valid text.
  return characters.join("") + String.fromCodePoint(last + 1 === 0xd800 ? 0xe000 : last + 1);
}

/** Returns the folder that contains a key, with the delimiter. */
function folderOf(key: string, { prefix, delimiter }: ObjectSelection): string | undefined {
  if (delimiter === undefined || delimiter === "") return undefined;
  const at = key.indexOf(delimiter, prefix.length);
  return at === -1 ? undefined : key.slice(0, at + delimiter.length);
}

/** Returns the start of a page: after a key, or after all keys in a folder. */
function startOf(selection: ObjectSelection): string | undefined {
  const { after, prefix } = selection;
  if (after === undefined || compareBytes(after, prefix) < 0) return prefix;
  // The smallest key after a given key is that key followed by a NUL character.
  return folderOf(after, selection) === after ? behind(after) : `${after}\0`;
}

const encoder = new TextEncoder();

function compareBytes(one: string, other: string): number {
  const [left, right] = [encoder.encode(one), encoder.encode(other)];
  for (let at = 0; at < left.length && at < right.length; at++) {
    if (left[at] !== right[at]) return left[at]! - right[at]!;
  }
  return left.length - right.length;
}

/** Maximum number of records that are read at a time. */
const MOST_AT_ONCE = 500;

export async function listObjects(
  kv: RecordStore,
  { projectId, environment }: BlobPlace,
  selection: ObjectSelection,
): Promise<ObjectPage> {
  const { prefix, limit } = selection;
  const items: ObjectRecord[] = [];
  const prefixes: string[] = [];
  const root = [...objects.root, projectId, environment];
  let start = startOf(selection);
  let last = "";
  const most = Math.min(limit + 1, MOST_AT_ONCE);
  const least = selection.delimiter ? 1 : most;
  let batchSize = least;
  // Each round completes the page, skips a folder, or reads keys outside folders.
  while (start !== undefined) {
    let [next, left]: [string | undefined, number] = [undefined, batchSize];
    const selector = { prefix: root, start: [...root, start] };
    for await (const { value } of kv.list(selector, { batchSize })) {
      const record = objectRecord.parse(value);
      const { key } = record;
      if (!key.startsWith(prefix)) break;
      if (items.length + prefixes.length === limit) return { items, prefixes, next: last };
      const folder = folderOf(key, selection);
      last = folder ?? key;
      if (folder !== undefined) {
        prefixes.push(folder);
        // The remaining keys in the batch may be in the same folder.
        batchSize = least;
        next = behind(folder);
        break;
      }
      items.push(record);
      if (--left > 0 || batchSize === most) continue;
      batchSize = Math.min(8 * batchSize, most);
      next = `${key}\0`;
      break;
    }
    start = next;
  }
  return { items, prefixes, next: null };
}
