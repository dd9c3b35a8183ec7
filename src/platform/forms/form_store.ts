/** Form submissions: records are stored here, and files in the environment's blob store. @module */
import { BUILT_IN_ENVIRONMENTS } from "../../contract/environment_names.ts";
import type { FormState } from "../../contract/forms.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";
import type { ObjectStore } from "../blobs/mod.ts";
import { noteEvent, type RaisedEvent } from "../core/events/mod.ts";
import {
  commitWithRetries,
  keys,
  keysBelow,
  type Page,
  type PageRange,
  readAll,
  readPage,
  readRecord,
  Table,
} from "../core/store/mod.ts";
import {
  type CountRecord,
  countRecord,
  fileBytesOf,
  type FormPlace,
  type SubmissionRecord,
  submissionRecord,
  submissions,
} from "./submission_record.ts";

/** Maximum number of submissions per project that are not spam. */
const MAX_SUBMISSIONS = 20_000;
/**
 * Maximum total size of a project's submitted files, in bytes. The remaining space is reserved for
 * the project's code.
 */
const MAX_FILE_BYTES = 1024 ** 3;
/** Maximum number of spam submissions per form. Any more are dropped. */
const MAX_SPAM = 1_000;
/** How long spam is kept, in milliseconds: 30 days. */
export const KEEP_SPAM_MS = 30 * 86_400_000;

const NOTHING: CountRecord = { inbox: 0, spam: 0, lastAt: 0, fileBytes: 0, retentionMs: null };

const countKey = ({ projectId, environment, form }: FormPlace): RecordKey =>
  keys.formCounts(projectId, environment, form);

const placeOfKey = (key: RecordKey): FormPlace => {
  const [, projectId, environment, form] = key.map(String);
  return { projectId: projectId!, environment: environment!, form: form! };
};

type SubmissionKey = readonly [string, string, string, FormState, string];

export class FormStore extends Table<SubmissionRecord, SubmissionKey> {
  readonly #objects: Pick<ObjectStore, "delete">;

  constructor(kv: RecordStore, objects: Pick<ObjectStore, "delete">) {
    super(kv, submissions);
    this.#objects = objects;
  }

  /**
   * Returns whether a project has space for a submission that is not spam, including the
   * submission's files.
   */
  async hasRoom(projectId: string, fileBytes = 0): Promise<boolean> {
    let [total, bytes] = [0, fileBytes];
    const counts = readAll(this.kv, keys.formCounts(projectId), countRecord);
    for await (const { value } of counts) {
      total += value.inbox;
      bytes += value.fileBytes;
    }
    return total < MAX_SUBMISSIONS && bytes <= MAX_FILE_BYTES;
  }

  /**
   * Stores a submission. Returns `false` if the project or environment no longer exists, or if
   * there is too much spam.
   */
  async keep(
    record: SubmissionRecord,
    { retentionMs, event }: {
      readonly retentionMs: number | null;
      readonly event: RaisedEvent | undefined;
    },
  ): Promise<boolean> {
    const { workspaceId, projectId, environment, state } = record;
    const key = countKey(record);
    const owners = [
      keys.project(workspaceId, projectId),
      ...(BUILT_IN_ENVIRONMENTS.includes(environment)
        ? []
        : [keys.environmentByName(projectId, environment)]),
    ];
    return await commitWithRetries(this.kv, [key], async (operation) => {
      for (const owner of owners) {
        const { versionstamp } = await this.kv.get(owner);
        if (versionstamp === null) return false;
        operation.check({ key: owner, versionstamp });
      }
      const found = await readRecord(this.kv, key, countRecord);
      const before = found?.value ?? NOTHING;
      if (state === "spam" && before.spam >= MAX_SPAM) return false;
      operation.check({ key, versionstamp: found?.versionstamp ?? null });
      const fileBytes = before.fileBytes + fileBytesOf(record);
      const count = { [state]: before[state] + 1, lastAt: record.at, fileBytes, retentionMs };
      operation.set(key, { ...before, ...count });
      submissions.insert(operation, record);
      if (event !== undefined) noteEvent(operation, event);
      return true;
    }, { checked: owners });
  }

  async page(
    { projectId, environment, form }: FormPlace,
    state: FormState,
    range: PageRange,
  ): Promise<Page<SubmissionRecord>> {
    const prefix = keys.formSubmissions(projectId, environment, form, state);
    return await readPage(this.kv, prefix, { schema: submissionRecord, ...range });
  }

  /** Deletes a submission and its files. Returns `false` if there is no such submission. */
  async drop(place: FormPlace, state: FormState, id: string): Promise<boolean> {
    const { projectId, environment, form } = place;
    const known = await this.find(projectId, environment, form, state, id);
    if (known === undefined) return false;
    // Deletes the files first, so the submission can still be deleted after a crash in between.
    for (const { key: file } of known.files) {
      if (file !== null) await this.#objects.delete(known, file);
    }
    const counted = countKey(place);
    const removed = await this.remove([projectId, environment, form, state, id], {
      also: async (operation) => {
        const found = await readRecord(this.kv, counted, countRecord);
        if (found === undefined) return;
        const { value, versionstamp } = found;
        operation.check({ key: counted, versionstamp })
          .set(counted, {
            ...value,
            [state]: Math.max(0, value[state] - 1),
            fileBytes: Math.max(0, value.fileBytes - fileBytesOf(known)),
          });
      },
    });
    return removed !== undefined;
  }

  /** Lists the forms in an environment that have ever had a submission, with their counts. */
  async counts(projectId: string, environment: string): Promise<Map<string, CountRecord>> {
    const found = new Map<string, CountRecord>();
    const all = readAll(this.kv, keys.formCounts(projectId, environment), countRecord);
    for await (const { key, value } of all) found.set(placeOfKey(key).form, value);
    return found;
  }

  /**
   * @param liveRetention the live deployment's setting; `undefined` if that deployment does not
   * have the form
   */
  async sweep(
    now: number,
    signal: AbortSignal,
    liveRetention: (record: SubmissionRecord) => Promise<number | null | undefined>,
  ): Promise<number> {
    let removed = 0;
    for await (const { key, value } of readAll(this.kv, keys.formCounts(), countRecord)) {
      if (signal.aborted) break;
      const place = placeOfKey(key);
      const [any] = (await this.page(place, "inbox", { limit: 1 })).items;
      const live = any === undefined ? undefined : await liveRetention(any);
      const retentionMs = live === undefined ? value.retentionMs : live;
      const spamMs = Math.min(KEEP_SPAM_MS, retentionMs ?? KEEP_SPAM_MS);
      removed += await this.#removeBefore(place, "spam", { time: now - spamMs, signal });
      if (retentionMs === null) continue;
      removed += await this.#removeBefore(place, "inbox", { time: now - retentionMs, signal });
    }
    return removed;
  }

  async #removeBefore(
    place: FormPlace,
    state: FormState,
    { time, signal }: { readonly time: number; readonly signal: AbortSignal },
  ): Promise<number> {
    const { projectId, environment, form } = place;
    const prefix = keys.formSubmissions(projectId, environment, form, state);
    let removed = 0;
    for await (const { value } of readAll(this.kv, prefix, submissionRecord)) {
      if (signal.aborted || value.at >= time) break;
      if (await this.drop(place, state, value.id)) removed++;
    }
    return removed;
  }

  /** Lists the keys of everything that is stored for a project, or for one of its environments. */
  async *keysOf(...of: readonly string[]): AsyncGenerator<RecordKey> {
    yield* keysBelow(this.kv, keys.formSubmissions(...of));
    yield* keysBelow(this.kv, keys.formCounts(...of));
  }
}
