import assert from "node:assert/strict";
import { DenoStore, type RecordStore } from "../../store/mod.ts";
import { NO_POSTGRES, TestPg } from "../core/store/_test_pg.ts";
import { wrapPg } from "../core/store/mod.ts";
import { PLACE } from "./_test_store.ts";
import { listObjects, type ObjectSelection } from "./list_objects.ts";
import { type ObjectRecord, objects } from "./object_record.ts";

/** Number of keys to list. Set `LISTED_KEYS` to test with more keys, such as 1000000. */
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

async function fill(kv: RecordStore, all: readonly string[]): Promise<void> {
  for (let first = 0; first < all.length; first += BATCH) {
    const operation = kv.atomic();
    for (const key of all.slice(first, first + BATCH)) objects.set(operation, recordOf(key));
    assert.ok((await operation.commit()).ok);
  }
}

/** Creates a store that counts the records read from it, including unused ones. */
function counted(kv: RecordStore) {
  const counts = { read: 0 };
  const list = async function* (...[selector, options]: Parameters<RecordStore["list"]>) {
    const batchSize = options!.batchSize!;
    let passed = 0;
    for await (const entry of kv.list(selector, options)) {
      if (passed++ % batchSize === 0) counts.read += batchSize;
      yield entry;
    }
  };
  return { counts, kv: { list } as unknown as RecordStore };
}

/** Returns all pages of a list, each as its keys and folders. */
async function pagesOf(
  kv: RecordStore,
  selection: Omit<ObjectSelection, "after">,
): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const page = await listObjects(kv, PLACE, { ...selection, after });
    pages.push([...page.items.map(({ key }) => key), ...page.prefixes].sort());
    after = page.next ?? undefined;
  } while (after !== undefined);
  return pages;
}

Deno.test(`each page of ${KEYS} keys costs as many reads as the first one`, async () => {
  using store = await DenoStore.open(":memory:");
  await fill(store, Array.from({ length: KEYS }, (_, number) => keyOf(number)));
  const { counts, kv } = counted(store);
  const pages = await pagesOf(kv, { prefix: "", limit: LIMIT });
  const seen = pages.flat();
  assert.equal(seen.length, KEYS);
  assert.ok(seen.every((key, at) => at === 0 || seen[at - 1]! < key));
  assert.ok(counts.read <= pages.length * (LIMIT + 1), `${counts.read} records`);
  counts.read = 0;
  const [folders] = await pagesOf(kv, { prefix: "", delimiter: "/", limit: LIMIT });
  assert.equal(folders!.length, 50);
  // Reads one record in each folder, regardless of the folder's content.
  assert.ok(counts.read <= 51, `${counts.read} records for 50 folders`);
});

const MIXED = [
  ...Array.from({ length: 300 }, (_, number) => `a${String(number).padStart(3, "0")}`),
  ...Array.from({ length: 60 }, (_, number) => keyOf(number)),
  ...["folder-07", "folder-07.txt", "folder-07/sub/deep", "zoë", "zoë/é", "😀/1", "😀/2"],
];

/** Returns the expected list for the delimiter `/`, computed from all keys. */
function shownOf(prefix: string): string[] {
  const shown = MIXED.filter((key) => key.startsWith(prefix)).map((key) => {
    const end = key.indexOf("/", prefix.length);
    return end === -1 ? key : key.slice(0, end + 1);
  });
  return [...new Set(shown)].sort();
}

const STORES = [
  { name: "Deno KV", ignore: false, open: () => DenoStore.open(":memory:") },
  {
    name: "PostgreSQL",
    ignore: NO_POSTGRES !== undefined,
    async open() {
      const server = await TestPg.start();
      const store = await server.open();
      return Object.assign(wrapPg(store), {
        async [Symbol.asyncDispose]() {
          await store.close();
          await server[Symbol.asyncDispose]();
        },
      });
    },
  },
];

for (const { name, ignore, open } of STORES) {
  Deno.test({
    name: `lists contain keys and folders, in pages of any size: ${name}`,
    ignore,
    async fn() {
      await using store = await open() as RecordStore & AsyncDisposable;
      await fill(store, MIXED);
      const { counts, kv } = counted(store);
      for (const prefix of ["", "folder-07/", "folder-0", "zo", "none"]) {
        const expected = shownOf(prefix);
        for (const limit of [7, 1000]) {
          counts.read = 0;
          const pages = await pagesOf(kv, { prefix, delimiter: "/", limit });
          assert.deepEqual(pages.flat().sort(), expected, `${prefix} by ${limit}`);
          assert.ok(pages.slice(0, -1).every(({ length }) => length === limit));
        }
        // Each batch is at most eight times as large as the previous one. Therefore, the number of
        // records that are read is at most nine times the number of keys in the list.
        assert.ok(counts.read <= 9 * expected.length + 9, `${prefix}: ${counts.read} records`);
      }
    },
  });
}
