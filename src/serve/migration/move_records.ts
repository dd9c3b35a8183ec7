/**
 * Copies records until the target is equal to the source. If a call is interrupted, another call
 * continues the copy. @module
 */
import { createHash } from "node:crypto";
import { DamagedRecordError, decodeValue } from "../../platform/core/store/mod.ts";
import { decodeKey } from "../../store/mod.ts";
import type { RecordsReport, Watch } from "./migration_options.ts";
import { MigrationError } from "./migration_error.ts";
import {
  type Difference,
  differences,
  isMoved,
  isTolerable,
  type RawRecord,
  sizeOf,
  valueBytes,
} from "./raw_record.ts";
import type { Change, MovedStore } from "./record_store.ts";

/** The number and size of the records to move, and the keys that the records need. */
export interface Survey {
  readonly count: number;
  readonly bytes: number;
  /** IDs of the keys that encrypt secrets. */
  readonly keyIds: ReadonlySet<string>;
}

/** Collects the IDs of the keys that encrypt a record's secrets, at any depth. */
function findKeyIds(value: unknown, to: Set<string>): void {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return;
  if ("keyId" in value && typeof value.keyId === "string" && "nonce" in value) to.add(value.keyId);
  for (const part of Object.values(value)) findKeyIds(part, to);
}

/** @throws {DamagedRecordError} */
function readValue({ key, value }: RawRecord): unknown {
  const decoded = decodeKey(key);
  try {
    return decodeValue(decoded, value);
  } catch (cause) {
    throw new DamagedRecordError(decoded, cause);
  }
}

export async function surveyRecords(from: MovedStore): Promise<Survey> {
  const keyIds = new Set<string>();
  let [count, bytes] = [0, 0];
  for await (const record of from.records()) {
    if (!isMoved(record)) continue;
    count++;
    bytes += sizeOf(record);
    findKeyIds(readValue(record), keyIds);
  }
  return { count, bytes, keyIds };
}

/** Whether a store contains platform records. */
export async function hasRecords(store: MovedStore): Promise<boolean> {
  for await (const record of store.records()) if (isMoved(record)) return true;
  return false;
}

async function* changesBetween(
  { from, to }: RecordEnds,
  { signal, onProgress }: Watch,
  onCopy: () => void,
): AsyncGenerator<Change> {
  for await (const { kind, record } of differences(from.records(), to.records())) {
    signal.throwIfAborted();
    if (kind === "more") {
      yield { kind: "delete", record };
      continue;
    }
    onProgress({ files: 1, bytes: sizeOf(record) });
    if (kind === "same") continue;
    onCopy();
    yield { kind: "set", record };
  }
}

/** A source store, and a target store that must become equal to it. */
interface RecordEnds {
  readonly from: MovedStore;
  readonly to: MovedStore;
}

/**
 * @throws {MigrationError} if a second comparison shows that the target still differs from the
 * source.
 */
export async function moveRecords(ends: RecordEnds, watch: Watch): Promise<RecordsReport> {
  let copied = 0;
  await ends.to.write(changesBetween(ends, watch, () => copied++));
  const compared = await compareRecords(ends, watch.signal);
  if ("record" in compared) throw differs(compared);
  return { ...compared, copied };
}

function differs({ record }: Difference): MigrationError {
  const [first] = decodeKey(record.key);
  return new MigrationError(
    `Cannot finish: the records in the source and the target differ, first under "${
      String(first)
    }", because something wrote to one of them. Stop everything that uses them and run the command again`,
  );
}

/** Compares two stores and returns the first difference, if any. */
export async function compareRecords(
  { from, to }: RecordEnds,
  signal: AbortSignal,
): Promise<Pick<RecordsReport, "count" | "sha256"> | Difference> {
  const hash = createHash("sha256");
  let count = 0;
  for await (const difference of differences(from.records(), to.records())) {
    signal.throwIfAborted();
    if (!isTolerable(difference)) return difference;
    const { kind, record } = difference;
    if (kind !== "same") continue;
    count++;
    hash.update(record.key).update(valueBytes(record));
  }
  return { count, sha256: hash.digest("hex") };
}
