/**
 * The output of `svc db schema` must create an identical schema in an empty database and in an
 * empty branch.
 */
import assert from "node:assert/strict";
import { TOKEN } from "../../helpers/platform.ts";
import {
  callsOf,
  createDatabase,
  type DatabaseCase,
  type DatabaseTest,
  urlOf,
  withClient,
} from "../../helpers/databases.ts";

/** Every kind of object that a role without special privileges can create. */
const RICH_SCHEMA = `
CREATE SCHEMA "Back Office";
COMMENT ON SCHEMA "Back Office" IS 'It''s for staff; see $1';
CREATE TYPE mood AS ENUM ('calm', 'rough', 'it''s "over"');
CREATE TYPE "Back Office".size AS (width int, "Height" numeric(6, 2));
CREATE TYPE tide_span AS RANGE (subtype = float8);
CREATE DOMAIN email AS text NOT NULL CHECK (VALUE ~ '^[^@]+@[^@]+$');
CREATE SEQUENCE invoice_number START 1000 INCREMENT 10 CYCLE MAXVALUE 99990;
CREATE COLLATION plain (locale = 'C');

CREATE FUNCTION double_of(n int) RETURNS int LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT n * 2; $$;
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  NEW.changed := now(); -- a comment; with a semicolon
  RETURN NEW;
END $body$;
CREATE PROCEDURE forget(who text) LANGUAGE sql AS $$ SELECT who $$;
CREATE AGGREGATE product_of(int) (SFUNC = int4mul, STYPE = int, INITCOND = '1');
CREATE OPERATOR |*| (LEFTARG = int, RIGHTARG = int, FUNCTION = int4mul);
CREATE FUNCTION size_text("Back Office".size) RETURNS text LANGUAGE sql IMMUTABLE
  AS $$ SELECT $1.width || 'x' || $1."Height" $$;
CREATE CAST ("Back Office".size AS text) WITH FUNCTION size_text("Back Office".size) AS ASSIGNMENT;

CREATE TABLE boats (
  id int GENERATED ALWAYS AS IDENTITY (START 7) PRIMARY KEY,
  serial_no bigserial UNIQUE,
  invoice int DEFAULT nextval('invoice_number'),
  "select" text COLLATE plain DEFAULT 'a;b',
  "Ünïcode ""quoted""" email,
  mood mood DEFAULT 'calm',
  length int CHECK (length > 0),
  twice int GENERATED ALWAYS AS (double_of(length)) STORED,
  tags text[],
  measures "Back Office".size[],
  span tide_span,
  changed timestamptz DEFAULT now()
);
COMMENT ON TABLE boats IS E'Two\\nlines';
COMMENT ON COLUMN boats."select" IS 'A word of SQL';
CREATE TABLE "Back Office"."Crew" (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  boat int NOT NULL REFERENCES boats ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  name text NOT NULL
);
ALTER TABLE boats ADD COLUMN captain uuid REFERENCES "Back Office"."Crew";
CREATE UNIQUE INDEX crew_name ON "Back Office"."Crew" (boat, lower(name)) WHERE name <> '';
CREATE TABLE bookings (span int4range, EXCLUDE USING gist (span WITH &&));
CREATE STATISTICS boat_statistics (ndistinct) ON length, mood FROM boats;
CREATE TRIGGER boats_touch BEFORE UPDATE ON boats FOR EACH ROW
  WHEN (OLD.length IS DISTINCT FROM NEW.length) EXECUTE FUNCTION touch();
CREATE TABLE trips (id int, day date NOT NULL, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE trips_2026 PARTITION OF trips FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE TABLE trips_rest PARTITION OF trips DEFAULT;
CREATE TABLE ferries (cars int) INHERITS (boats);

ALTER TABLE bookings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY "own bookings" ON bookings FOR SELECT USING (lower(span) > 0);
CREATE VIEW long_boats WITH (security_barrier) AS SELECT id, length FROM boats
  WHERE length > 10 WITH CASCADED CHECK OPTION;
CREATE VIEW longest AS SELECT max(length) FROM long_boats;
CREATE MATERIALIZED VIEW per_mood AS SELECT mood, count(*) AS many FROM boats GROUP BY mood;
CREATE UNIQUE INDEX per_mood_mood ON per_mood (mood);
CREATE RULE no_deletes AS ON DELETE TO trips DO INSTEAD NOTHING;
INSERT INTO boats (length, "Ünïcode ""quoted""") VALUES (12, 'a@b');
REFRESH MATERIALIZED VIEW per_mood;
`;

/** Tests the created schema's behavior: a view, a generated column, a trigger and a check. */
const USE = `
INSERT INTO boats (length, "Ünïcode ""quoted""") VALUES (20, 'a@b');
UPDATE boats SET length = 21;
SELECT id, twice, mood, (SELECT max FROM longest) FROM boats;
`;

/** Matches the name of a NOT NULL constraint, which servers before PostgreSQL 18 do not store. */
const NAMED_NOT_NULL = / CONSTRAINT \w+ NOT NULL/g;

async function schemaOf({ platform }: DatabaseTest, at: string, branch = "main"): Promise<string> {
  const url = `http://127.0.0.1:${platform.port}${at}/schema?branch=${branch}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

export const SCHEMAS: readonly DatabaseCase[] = [{
  name: "the printed schema creates the same schema in an empty database and branch",
  // The next case covers the schema of the embedded engine.
  only: "server",
  async run(test) {
    const { platform, project, at } = test;
    const empty = await platform.api("POST", `${at}/branches`, { json: { name: "empty" } });
    assert.equal(empty.status, 201);
    await withClient(await urlOf(platform, at), (client) => client.query(RICH_SCHEMA));
    const schema = await schemaOf(test, at);
    assert.doesNotMatch(schema, /INSERT|^COPY|^\\\\/m);

    await createDatabase(platform, project, "fresh", { autoInject: false });
    const fresh = `/v1/projects/${project}/databases/fresh`;
    for (const [where, branch] of [[fresh, "main"], [at, "empty"]] as const) {
      const events = await callsOf(platform, where).query(schema, { branch });
      assert.deepEqual(events.filter(({ type }) => type === "error"), []);
      assert.equal(await schemaOf(test, where, branch), schema);
      const rows = await callsOf(platform, where).rows(USE, branch);
      assert.deepEqual(rows, [["7", "42", "calm", "21"]]);
    }

    const again = (await callsOf(platform, fresh).query(schema)).at(-1);
    assert.ok(again?.type === "error", "creating an existing schema fails");
    assert.equal(again.sqlState, "42P06");
    assert.equal(await schemaOf(test, fresh), schema, "the failure changes nothing");
  },
}, {
  name: "a printed schema can be created on the other engine, whose version differs",
  only: "server",
  async run(test) {
    const { platform, project, at } = test;
    const small = `/v1/projects/${project}/databases/small`;
    await createDatabase(platform, project, "small", { engine: "embedded", autoInject: false });
    const back = await platform.api("POST", `${small}/branches`, { json: { name: "back" } });
    assert.equal(back.status, 201);
    await withClient(await urlOf(platform, small), (client) => client.query(RICH_SCHEMA));
    const schema = await schemaOf(test, small);
    const make = async (where: string, branch: string, made: string) => {
      const events = await callsOf(platform, where).query(made, { branch });
      assert.deepEqual(events.filter(({ type }) => type === "error"), []);
    };
    await make(at, "main", schema);
    const onServer = await schemaOf(test, at);
    await make(small, "back", onServer);
    const unnamed = (sql: string) => sql.replaceAll(NAMED_NOT_NULL, " NOT NULL");
    assert.equal(unnamed(await schemaOf(test, small, "back")), unnamed(schema));
    for (const [where, branch] of [[at, "main"], [small, "back"]] as const) {
      const rows = await callsOf(platform, where).rows(USE, branch);
      assert.deepEqual(rows, [["7", "42", "calm", "21"]]);
    }
  },
}];
