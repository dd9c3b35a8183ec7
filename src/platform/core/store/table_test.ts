import assert from "node:assert/strict";
import fc from "fast-check";
import * as z from "zod";
import { DenoStore, type Entry, type RecordStore } from "../../../store/mod.ts";
import { withTwoProcesses } from "./_test_checks.ts";
import { NO_POSTGRES, TestPg } from "./_test_pg.ts";
import { wrapPg } from "./open_pg_kv.ts";
import { RecordType } from "./record_type.ts";
import { ContentionError } from "./records.ts";
import { Table } from "./table.ts";

const book = z.object({
  shelf: z.string(),
  id: z.string(),
  title: z.string(),
  genre: z.string().nullable(),
  tags: z.array(z.string()),
});
type Book = z.infer<typeof book>;

const books = new RecordType({
  root: ["books"],
  schema: book,
  parts: ({ shelf, id }) => [shelf, id],
  indices: {
    title: {
      entries: ({ shelf, title }) => [["by_title", shelf, title]],
      holds: "id",
      unique: true,
    },
    tag: {
      entries: ({ tags, shelf, id }) => tags.map((tag) => ["by_tag", tag, shelf, id]),
      holds: ["onShelf", "number"],
    },
    genre: {
      entries: ({ genre, shelf, id }) => genre === null ? [] : [["by_genre", genre, shelf, id]],
      holds: "copy",
    },
  },
});

const open = (kv: RecordStore) => new Table(kv, books);

const entriesOf = ({ shelf, id, title, genre, tags }: Book): [unknown, unknown][] => [
  [["by_title", shelf, title], id],
  ...tags.map((tag): [unknown, unknown] => [
    ["by_tag", tag, shelf, id],
    { onShelf: shelf, number: id },
  ]),
  ...(genre === null
    ? []
    : [[["by_genre", genre, shelf, id], { shelf, id, title, genre, tags }] as [unknown, unknown]]),
];

const sorted = (entries: readonly [unknown, unknown][]) =>
  entries.map((entry) => JSON.stringify(entry)).sort();

/** Checks that every index matches the records and points to them. */
async function assertIndicesAreRight(kv: RecordStore): Promise<Book[]> {
  const table = open(kv);
  const all = await Array.fromAsync(table.all());
  const found: Entry[] = [];
  for (const name of ["by_title", "by_tag", "by_genre"]) {
    found.push(...await Array.fromAsync(kv.list({ prefix: [name] })));
  }
  assert.deepEqual(
    sorted(found.map(({ key, value }) => [key, value])),
    sorted(all.flatMap(entriesOf)),
  );
  for (const each of all) {
    const { shelf, id, title, genre, tags } = each;
    assert.deepEqual(await table.findBy("title", ["by_title", shelf, title]), each);
    for (const tag of tags) {
      assert.deepEqual(await table.findBy("tag", ["by_tag", tag, shelf, id]), each);
    }
    if (genre !== null) {
      const found = await Array.fromAsync(table.allBy("genre", ["by_genre", genre, shelf]));
      assert.deepEqual(found.find((other) => other.id === id), each);
    }
  }
  return all;
}

const names = fc.constantFrom("a", "b", "c");
const content = fc.record({
  title: names,
  genre: fc.option(names),
  tags: fc.uniqueArray(names),
});
const step = fc.record({
  kind: fc.constantFrom("add", "change", "change", "rewrite", "remove"),
  shelf: fc.constantFrom("x", "y"),
  id: fc.constantFrom("1", "2", "3"),
  content,
});

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Runs the same steps on a table and on a list, and checks that the two agree. */
async function run(kv: RecordStore, steps: readonly Step[]) {
  const table = open(kv);
  const known = new Map<string, Book>();
  const hasTitle = ({ shelf, id, title }: Book) =>
    [...known.values()].some((each) =>
      each.shelf === shelf && each.title === title && each.id !== id
    );
  for (const { kind, shelf, id, content } of steps) {
    const place = `${shelf}/${id}`;
    const wanted: Book = { shelf, id, ...content };
    const before = known.get(place);
    if (kind === "add" && before === undefined) {
      assert.equal(await table.add(wanted), !hasTitle(wanted));
      if (!hasTitle(wanted)) known.set(place, wanted);
    } else if (kind === "change" && !hasTitle(wanted)) {
      const changed = await table.update([shelf, id], () => wanted);
      assert.deepEqual(changed, before && wanted);
      if (before !== undefined) known.set(place, wanted);
    } else if (kind === "rewrite" && before !== undefined) {
      const rewritten = { ...before, genre: content.genre, tags: content.tags };
      const count = await table.rewrite((each) =>
        Promise.resolve(each.shelf === shelf && each.id === id ? rewritten : each)
      );
      assert.equal(count, 1);
      known.set(place, rewritten);
    } else if (kind === "remove") {
      assert.deepEqual(await table.remove([shelf, id]), before);
      known.delete(place);
    }
  }
  const byPlace = (one: Book, other: Book) =>
    `${one.shelf}/${one.id}` < `${other.shelf}/${other.id}` ? -1 : 1;
  assert.deepEqual(await assertIndicesAreRight(kv), [...known.values()].sort(byPlace));
}

const clear = async (kv: RecordStore) => {
  for await (const { key } of kv.list({ prefix: [] })) await kv.delete(key);
};

async function runMany(kv: RecordStore, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await clear(kv);
      await run(kv, steps);
    }),
    { numRuns },
  );
}

Deno.test("every index of a Table matches a scan of all records, on Deno KV", async () => {
  using kv = await DenoStore.open(":memory:");
  await runMany(kv, 100);
});

Deno.test({
  name: "every index of a Table matches a scan of all records, on PostgreSQL",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using server = await TestPg.start();
    const store = await server.open();
    await runMany(wrapPg(store), 15);
    await store.close();
  },
});

const one: Book = { shelf: "x", id: "1", title: "a", genre: "g", tags: ["t"] };

Deno.test("Table keeps its indices correct when two processes change the same records", () =>
  withTwoProcesses(async (kv, other) => {
    await open(kv).add(one);
    await Promise.all(
      Array.from(
        { length: 30 },
        (_, n) =>
          open(n % 2 === 0 ? kv : other).update([one.shelf, one.id], (each) => ({
            ...each,
            title: `title ${n}`,
            genre: n % 3 === 0 ? null : `g${n % 4}`,
            tags: [...each.tags, `t${n}`],
          })),
      ),
    );
    const [found, ...more] = await assertIndicesAreRight(kv);
    assert.deepEqual([found!.tags.length, more], [31, []]);
  }));

Deno.test("Table.update() gives up if another record has the same unique entry", async () => {
  using kv = await DenoStore.open(":memory:");
  const table = open(kv);
  await table.add(one);
  await table.add({ ...one, id: "2", title: "b" });
  const change = table.update([one.shelf, "2"], (each) => ({ ...each, title: one.title }));
  await assert.rejects(change, ContentionError);
  await assertIndicesAreRight(kv);
});

Deno.test("Table.update() commits additions with a change, and nothing without one", async () => {
  using kv = await DenoStore.open(":memory:");
  const table = open(kv);
  await table.add(one);
  const { versionstamp } = (await table.read("x", "1"))!;
  const also = (operation: { set(key: string[], value: unknown): unknown }) =>
    void operation.set(["noted"], true);
  assert.deepEqual(await table.update(["x", "1"], (each) => each, { also }), one);
  assert.equal((await table.read("x", "1"))!.versionstamp, versionstamp);
  assert.equal((await kv.get(["noted"])).value, null);
  await table.update(["x", "1"], (each) => ({ ...each, genre: null }), { also });
  assert.equal((await kv.get(["noted"])).value, true);
  assert.equal(await table.update(["x", "9"], (each) => each), undefined);
});

Deno.test("Table lists an owner's records newest first, page by page", async () => {
  using kv = await DenoStore.open(":memory:");
  const table = open(kv);
  for (const id of ["1", "2", "3"]) await table.add({ ...one, id, title: id });
  const first = await table.list("x", { limit: 2 });
  assert.deepEqual(first.items.map(({ id }) => id), ["3", "2"]);
  const rest = await table.list("x", { limit: 2, cursor: first.nextCursor! });
  assert.deepEqual([rest.items.map(({ id }) => id), rest.nextCursor], [["1"], null]);
  assert.deepEqual((await table.listCopies(["by_genre", "g", "x"], { limit: 5 })).items.length, 3);
});

Deno.test("Table follows old index entries that do not name all parts of a key", async () => {
  using kv = await DenoStore.open(":memory:");
  const table = open(kv);
  await table.add(one);
  const entry = ["by_tag", "t", one.shelf, one.id];
  await kv.set(entry, { onShelf: one.shelf });
  assert.deepEqual(await table.findBy("tag", entry), one);
});
