import assert from "node:assert/strict";
import type { FormState } from "../../contract/forms.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { DenoStore } from "../../store/mod.ts";
import { keys } from "../core/store/mod.ts";
import { FormStore, KEEP_SPAM_MS } from "./form_store.ts";
import type { SubmissionRecord } from "./submission_record.ts";

const PLACE = { workspaceId: "w", projectId: "p", environment: "production", form: "contact" };
const DAY_MS = 86_400_000;
const { signal } = new AbortController();

interface Bench {
  readonly store: FormStore;
  readonly kv: DenoStore;
  /** Keys of files that were deleted. */
  readonly deleted: string[];
  keep(at: number, state?: FormState, retentionMs?: number | null): Promise<boolean>;
  /** When the remaining submissions were sent. */
  left(state?: FormState): Promise<number[]>;
}

async function withStore(test: (bench: Bench) => Promise<void>): Promise<void> {
  using kv = await DenoStore.open(":memory:");
  await kv.set(keys.project("w", "p"), {});
  const deleted: string[] = [];
  const store = new FormStore(kv, {
    delete: (_, key) => Promise.resolve(void deleted.push(key)),
  });
  const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  await test({
    store,
    kv,
    deleted,
    keep(at, state = "inbox", retentionMs = null) {
      const record: SubmissionRecord = {
        ...{ ...PLACE, state, id: uuidV7(() => at, random), at },
        ...{ spamReason: null, page: null, fields: [{ name: "at", value: String(at) }] },
        files: state === "spam" ? [] : [{
          ...{ field: "f", name: "f", contentType: "text/plain", size: 10, key: `file ${at}` },
        }],
      };
      return store.keep(record, { retentionMs, event: undefined });
    },
    left: async (state = "inbox") =>
      (await store.page(PLACE, state, { limit: 100 })).items.map(({ at }) => at),
  });
}

const none = () => Promise.resolve(undefined);

Deno.test("FormStore deletes submissions with their files once the retention period is over, and spam after 30 days", () =>
  withStore(async ({ store, keep, left, deleted }) => {
    for (const at of [1 * DAY_MS, 5 * DAY_MS]) {
      await keep(at, "spam", 90 * DAY_MS);
      await keep(at, "inbox", 90 * DAY_MS);
    }
    assert.equal(await store.sweep(1 * DAY_MS + KEEP_SPAM_MS, signal, none), 0);
    assert.equal(await store.sweep(2 * DAY_MS + KEEP_SPAM_MS, signal, none), 1);
    assert.deepEqual([await left("spam"), await left()], [[5 * DAY_MS], [5 * DAY_MS, 1 * DAY_MS]]);
    assert.equal(await store.sweep(92 * DAY_MS, signal, none), 2);
    assert.deepEqual([await left(), deleted], [[5 * DAY_MS], [`file ${DAY_MS}`]]);
    const count = (await store.counts("p", "production")).get("contact");
    assert.deepEqual([count?.inbox, count?.spam, count?.fileBytes], [1, 0, 10]);
  }));

Deno.test("FormStore uses the retention from the live deployment, which may be newer than all submissions", () =>
  withStore(async ({ store, keep, left }) => {
    await keep(1 * DAY_MS);
    await keep(9 * DAY_MS);
    assert.equal(await store.sweep(20 * DAY_MS, signal, none), 0);
    const live = (days: number | null) => () => Promise.resolve(days && days * DAY_MS);
    assert.equal(await store.sweep(20 * DAY_MS, signal, live(15)), 1);
    assert.deepEqual(await left(), [9 * DAY_MS]);
    await keep(10 * DAY_MS, "inbox", 1 * DAY_MS);
    assert.equal(await store.sweep(20 * DAY_MS, signal, live(null)), 0, "they are kept forever");
    assert.equal(await store.sweep(20 * DAY_MS, signal, none), 2);
  }));

Deno.test("FormStore has room until a project reaches its limit on submissions or file bytes", () =>
  withStore(async ({ store, keep, kv }) => {
    await keep(1);
    assert.equal(await store.hasRoom("p", 1024 ** 3 - 10), true);
    assert.equal(await store.hasRoom("p", 1024 ** 3 - 9), false);
    const key = keys.formCounts("p", "preview", "other");
    const count = { spam: 0, lastAt: 0, fileBytes: 0, retentionMs: null };
    await kv.set(key, { ...count, inbox: 19_998 });
    assert.equal(await store.hasRoom("p"), true);
    await kv.set(key, { ...count, inbox: 19_999 });
    assert.equal(await store.hasRoom("p"), false, "all environments count");
  }));
