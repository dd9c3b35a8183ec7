/** The output of `svc db export` must restore every value on either engine. */
import assert from "node:assert/strict";
import { TOKEN } from "../../helpers/platform.ts";
import {
  createDatabase,
  type DatabaseCase,
  type DatabaseTest,
  onEachDatabase,
  urlOf,
  withClient,
} from "../../helpers/databases.ts";
import { FOREIGN_DUMPS } from "./foreign_dump_cases.ts";
import { SCHEMAS } from "./schema_cases.ts";

/**
 * Values that a dump can lose: range bounds, text that looks like syntax, and values without a text
 * form.
 */
const RICH_ROWS = `
CREATE TYPE mood AS ENUM ('calm', 'it''s "over"');
CREATE TYPE size AS (width int, label text);
CREATE DOMAIN percent AS numeric CHECK (VALUE BETWEEN 0 AND 100);
CREATE TABLE things (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  n numeric, r real, d double precision, big bigint, t text, c char(5), b bytea, yes boolean,
  day date, at timestamptz, clock time, gap interval, doc json, data jsonb, words text[],
  grid int[][], mood mood, size size, sizes size[], part percent, addr inet, mac macaddr, net cidr,
  bits bit varying, path path, span int4range, spans int4multirange, uid uuid, page xml, lex tsvector,
  twice numeric GENERATED ALWAYS AS (n * 2) STORED
);
INSERT INTO things (n, r, d, big, t, c, b, yes, day, at, clock, gap) VALUES
  ('NaN', 'NaN', 'Infinity', 9223372036854775807, E'tab\\t line\\n cr\\r back\\\\slash ''q'' "d" $$x$$ ;--', 'ab', '\\x00ff5c27', true,
   'infinity', '-infinity', '23:59:59.999999', '-1 year 2 mons -3 days 04:05:06.789'),
  ('-123456789012345678901234567890.000000000000000000001', 1.1754944e-38, 2.2250738585072014e-308, -9223372036854775808,
   E'\\u00e9 \\U0001F30A \\\\. \\\\N', '', '', false, '0044-03-15 BC', '2026-03-29 02:30:00.123456+02', '00:00', '0'),
  (NULL, '0', '1e-5', 0, '', NULL, NULL, NULL, '4713-01-01 BC', '294276-12-31 23:59:59.999999+00', NULL, NULL);
INSERT INTO things (doc, data, words, grid, mood, size, sizes, part, addr, mac, net, bits, path, span, spans, uid, lex) VALUES
  ('{"a": 1, "a": 2 , "x":"\\u00e9\\n"}', '{"b": [1e400, null, "\\"\\\\"], "a": {}}', '{NULL,"NULL","","{,}","a\\"b\\\\c"}', '{{1,2},{3,NULL}}',
   'it''s "over"', '(1,"a,""b")', ARRAY[ROW(1, NULL)::size, ROW(NULL, '')::size, NULL], 33.333, '10.0.0.1/8', '08:00:2b:01:02:03', '::/0',
   B'1010', '((0,0),(1,1.5))', '[1,10)', '{[1,3),[5,)}', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'fat:2A ''x y'':3'),
  ('[]', 'null', '{}', '{}', NULL, '(,)', '{}', 0, '::1', NULL, NULL, B'', '[(0,0)]', 'empty', '{}', NULL, '');
SELECT setval('things_id_seq', 41);
CREATE SEQUENCE unused START 5;
CREATE TABLE parts (id int, day date NOT NULL) PARTITION BY RANGE (day);
CREATE TABLE parts_a PARTITION OF parts FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE TABLE parts_rest PARTITION OF parts DEFAULT;
INSERT INTO parts VALUES (1, '2026-05-05'), (2, '1999-01-01');
CREATE TABLE nothing ();
INSERT INTO nothing DEFAULT VALUES;
CREATE TABLE "Odd ""name""" ("a b" int, "select" int);
INSERT INTO "Odd ""name""" VALUES (1, 2);
CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS many FROM things;
CREATE VIEW last AS SELECT max(id) AS id FROM things;
`;

/**
 * Selects each row as text, to distinguish values that compare as equal (such as `1.0` and `1.00`).
 */
const SHOWN = "SELECT things::text FROM things ORDER BY id";

async function exportOf({ platform }: DatabaseTest, at: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${platform.port}${at}/export`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

async function importInto({ platform }: DatabaseTest, at: string, sql: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${platform.port}${at}/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/sql" },
    body: sql,
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.doesNotMatch(text, /"type":"error"/);
}

const CASES: readonly DatabaseCase[] = [{
  name: "an export restores every value, and a second export is identical",
  async run(test) {
    const { platform, project, at } = test;
    const rowsAt = async (where: string) =>
      await withClient(
        await urlOf(platform, where),
        async (client) => (await client.query(SHOWN)).rows,
      );
    await withClient(await urlOf(platform, at), (client) => client.query(RICH_ROWS));
    const exported = await exportOf(test, at);
    const rows = await rowsAt(at);
    assert.equal(rows.length, 5);

    await createDatabase(platform, project, "copy", { autoInject: false });
    const copy = `/v1/projects/${project}/databases/copy`;
    await importInto(test, copy, exported);
    assert.deepEqual(await rowsAt(copy), rows);
    assert.equal(await exportOf(test, copy), exported);
    await withClient(await urlOf(platform, copy), async (client) => {
      const { rows: [next] } = await client.query(
        "INSERT INTO things (t) VALUES ('next') RETURNING id",
      );
      assert.equal(next.id, 42, "sequences continue");
      const { rows: parts } = await client.query(
        "SELECT tableoid::regclass::text AS part FROM parts ORDER BY id",
      );
      assert.deepEqual(parts.map(({ part }) => part), ["parts_a", "parts_rest"]);
      assert.equal((await client.query("SELECT many FROM counted")).rows[0].many, "5");
    });
  },
}];

onEachDatabase("dumps of databases", [...CASES, ...FOREIGN_DUMPS, ...SCHEMAS]);
