/** Tests masks on the real engines. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  type DatabaseEngine,
  databaseProcessCommand,
  EmbeddedEngine,
  findPostgres,
  LOCAL,
  openServerEngine,
  runSql,
  type SqlEvent,
} from "../../../database/mod.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";
import type { DatabaseMask } from "../../../lib/database_previews.ts";
import { maskBranch } from "./mask_branch.ts";

const branch = {
  id: "00000000000000aa",
  database: "shop",
  role: "shop_1",
  limits: { memoryMb: 256, connections: 20 },
};

const SCHEMA = `
CREATE SCHEMA sales;
CREATE TABLE users (
  id int PRIMARY KEY,
  email text NOT NULL UNIQUE,
  name varchar(12),
  phone text,
  bio text,
  ref uuid,
  code int,
  slot int GENERATED ALWAYS AS IDENTITY,
  label text GENERATED ALWAYS AS ('<' || email || '>') STORED
);
CREATE TABLE sales.orders (id int, email text REFERENCES users (email), address text, company text);
CREATE TABLE audit (old text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN INSERT INTO audit VALUES (OLD.email); RETURN NEW; END $$;
CREATE TRIGGER note BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER off BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION note();
ALTER TABLE users DISABLE TRIGGER off;
CREATE TABLE ruled (a text);
CREATE RULE keeps AS ON UPDATE TO ruled DO INSTEAD NOTHING;
INSERT INTO users SELECT i, 'person' || i || '@real.test', 'Person ' || i, '+49 30 ' || i,
  CASE i WHEN 1 THEN NULL ELSE 'secret story' END,
  ('00000000-0000-0000-0000-00000000000' || i)::uuid, 100 + i FROM generate_series(1, 9) i;
INSERT INTO sales.orders SELECT id, email, 'Real Street', 'Real Inc' FROM users;
CREATE MATERIALIZED VIEW mails AS SELECT email FROM users;
ANALYZE;
`;

const MASK: DatabaseMask = {
  users: {
    email: "hash",
    name: "fake:name",
    phone: "null",
    bio: "fake:text",
    ref: "hash",
    code: "hash",
    id: "keep",
  },
  "sales.orders": { email: "hash", address: "fake:address", company: "fake:company" },
};

/** Masks that are rejected, each with the expected message. */
const REFUSED: readonly (readonly [DatabaseMask, RegExp])[] = [
  [{ people: { email: "hash" } }, /db\.mask\.people: The table does not exist/],
  [{ orders: { email: "hash" } }, /db\.mask\.orders: The table does not exist/],
  [{ users: { mail: "hash" } }, /db\.mask\.users\.mail: The column does not exist/],
  [{ users: { mail: "keep" } }, /db\.mask\.users\.mail: The column does not exist/],
  [{ users: { email: "null" } }, /db\.mask\.users\.email: The column is NOT NULL/],
  [{ users: { slot: "hash" } }, /db\.mask\.users\.slot: PostgreSQL generates the column/],
  [{ users: { label: "hash" } }, /db\.mask\.users\.label: PostgreSQL generates the column/],
  [
    { users: { code: "fake:email" } },
    /fake:email works only on columns of type text, but this one is int4/,
  ],
  [{ ruled: { a: "hash" } }, /db\.mask\.ruled: The table has an ON UPDATE rule/],
  [{ users: { email: "hash" } }, /foreign key orders_email_fkey of sales\.orders/],
  [
    { users: { a: "hash", b: "hash", c: "hash", d: "hash", e: "hash", f: "hash" } },
    /users\.e: The column does not exist; and 1 more$/,
  ],
];

async function collect(engine: DatabaseEngine, sql: string): Promise<(string | null)[][]> {
  const session = await engine.connect(branch, new Map());
  const rows: (string | null)[][] = [];
  const events: AsyncIterable<SqlEvent> = runSql(session, sql, { readOnly: false });
  for await (const event of events) {
    if (event.type === "error") throw new Error(event.message);
    if (event.type === "rows") rows.push(...event.rows.map((row) => [...row]));
  }
  return rows;
}

const hasServer = (await findPostgres(Deno.env.get("PATH") ?? "")).length > 0;

const ENGINES: Readonly<Record<string, (folder: string) => Promise<DatabaseEngine>>> = {
  embedded: (folder) =>
    Promise.resolve(
      new EmbeddedEngine({
        folder: join(folder, "databases"),
        command: databaseProcessCommand({ env: Deno.env.toObject() }),
      }),
    ),
  server: (dataFolder) =>
    openServerEngine({
      postgres: LOCAL,
      dataFolder,
      memoryBytes: 1024 ** 3,
      onTrouble: () => {},
    }),
};

async function check(engine: DatabaseEngine): Promise<void> {
  await engine.create(branch);
  await collect(engine, SCHEMA);
  const everything = "SELECT * FROM users ORDER BY id";
  const before = await collect(engine, everything);
  const key = new Uint8Array(32).fill(7);
  for (const [mask, message] of REFUSED) {
    await assert.rejects(maskBranch({ engine, branch }, mask, key), { message });
    assert.deepEqual(await collect(engine, everything), before, "nothing has changed");
  }

  await maskBranch({ engine, branch }, MASK, key);
  const [first, second] = await collect(engine, "SELECT * FROM users ORDER BY id");
  const hmac = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  const text = new TextEncoder().encode("person1@real.test");
  const expected = new Uint8Array(await crypto.subtle.sign("HMAC", hmac, text)).toHex();
  assert.equal(first![1], expected, "a hash is HMAC-SHA256");
  assert.equal(first![8], `<${expected}>`, "generated columns follow");
  assert.match(first![2]!, /^[A-Z][a-z]+ [A-Z][a-z]+$|^.{12}$/);
  assert.equal(first![3], null);
  assert.equal(first![4], null, "null stays null");
  assert.equal(second![4]!.length, "secret story".length);
  assert.match(second![4]!, /^lorem ipsum$|^lorem ipsum $/);
  assert.match(first![5]!, /^[0-9a-f-]{36}$/);
  assert.match(first![6]!, /^\d+$/);
  const [joined] = await collect(
    engine,
    `SELECT count(*), count(DISTINCT u.email) FROM users u JOIN sales.orders o USING (email)
     WHERE u.id = o.id AND o.address ~ '^[0-9]+ [A-Z][a-z]+ Street, [A-Z][a-z]+$'
       AND o.company ~ '^[A-Z][a-z]+ [A-Z][a-z]+ [A-Za-z]+$'`,
  );
  assert.deepEqual(joined, ["9", "9"], "values join between tables");
  assert.deepEqual(await collect(engine, "SELECT * FROM audit"), [], "triggers did not run");
  const left = `SELECT (SELECT string_agg(v::text, '') FROM mails v) ||
    (SELECT string_agg(s.most_common_vals::text || s.histogram_bounds::text, '') FROM pg_stats s
     WHERE schemaname IN ('public', 'sales'))`;
  assert.doesNotMatch(String((await collect(engine, left))[0]), /real\.test|Real|secret/);
  const kept =
    `SELECT (SELECT string_agg(tgname::text || tgenabled::text, ',' ORDER BY tgname) FROM pg_trigger
      WHERE NOT tgisinternal),
    (SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f')`;
  assert.deepEqual(await collect(engine, kept), [
    ["noteO,offD", "FOREIGN KEY (email) REFERENCES users(email)"],
  ]);
}

for (const [kind, open] of Object.entries(ENGINES)) {
  const ignore = kind === "server" && !hasServer;
  Deno.test({
    name: `maskBranch() masks a branch or leaves it unchanged: ${kind}${
      ignore ? " (skipped: there is no PostgreSQL here)" : ""
    }`,
    ignore,
    fn: () =>
      inTestFolder(async (folder) => {
        const engine = await open(folder);
        try {
          await check(engine);
        } finally {
          await engine.close();
        }
      }),
  });
}
