import assert from "node:assert/strict";
import type { RecordStore } from "../../store/mod.ts";
import { PLACE, withStore } from "./_test_store.ts";
import { listObjects } from "./list_objects.ts";
import { type ObjectRecord, objects } from "./object_record.ts";

/** Such as 1000000. */
const KEYS = Number(Deno.env.get("LISTED_KEYS") ?? 5000);
const BATCH = 500;
const LIMIT = 100;

const keyOf = (number: number): string =>
  `folder-${String(number % 50).padStart(2, "0")}/${String(number).padStart(8, "0")}`;

const recordOf = (key: string): ObjectRecord => ({
  ...PLACE,
  ...{ key, sha256: "00", size: 1, etag: "00", checksums: {}, modifiedAt: 0 },
  ...{ contentType: "text/plain", fields: {}, metadata: {} },
});

Deno.test(`each page of ${KEYS} keys reads as much as the first one`, () =>
  withStore(async ({ kv }) => {
    for (let first = 0; first < KEYS; first += BATCH) {
      const operation = kv.atomic();
      for (let number = first; number < Math.min(KEYS, first + BATCH); number++) {
        objects.set(operation, recordOf(keyOf(number)));
      }
      assert.ok((await operation.commit()).ok);
    }
    let read = 0;
    const counting = {
      async *list(...given: Parameters<RecordStore["list"]>) {
        for await (const entry of kv.list(...given)) {
          read++;
          yield entry;
        }
      },
    } as unknown as RecordStore;
    const seen: string[] = [];
    let after: string | undefined;
    do {
      read = 0;
      const page = await listObjects(counting, PLACE, { prefix: "", after, limit: LIMIT });
      assert.ok(read <= LIMIT + 1, `${read} records for a page behind ${after}`);
      seen.push(...page.items.map(({ key }) => key));
      after = page.next ?? undefined;
    } while (after !== undefined);
    assert.equal(seen.length, KEYS);
    assert.ok(seen.every((key, at) => at === 0 || seen[at - 1]! < key));
    read = 0;
    const top = await listObjects(counting, PLACE, { prefix: "", delimiter: "/", limit: LIMIT });
    assert.equal(top.prefixes.length, 50);
    // One read per folder, whatever its size.
    assert.ok(read <= 51, `${read} records for 50 folders`);
  }));
