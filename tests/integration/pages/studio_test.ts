/**
 * Uses the database studio without JavaScript on each engine: tables, rows and values, SQL, files,
 * and permissions.
 */
import assert from "node:assert/strict";
import { NO_POSTGRES } from "../../../src/database/server/_test_server.ts";
import type { QueryEvent } from "../../../src/contract/database_queries.ts";
import { createDatabase, sendSql } from "../../helpers/databases.ts";
import { type DashboardPlatform, withDashboard } from "../../helpers/dashboard.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { formsOf, type Page } from "../../helpers/page_visitor.ts";

const AT = "/workspaces/acme/projects/shop/databases/orders";
const API = "/v1/projects/shop/databases/orders";

const TABLES = `
CREATE TABLE ports (code text PRIMARY KEY, name text NOT NULL DEFAULT 'unnamed');
INSERT INTO ports VALUES ('KEL', 'Kiel');
CREATE TYPE mood AS ENUM ('calm', 'rough');
CREATE TABLE "Bo""ats" (
  id int GENERATED ALWAYS AS IDENTITY, "Na me" text, port text REFERENCES ports (code),
  sea mood, photo bytea, data jsonb, tags text[], loud text GENERATED ALWAYS AS (upper("Na me")) STORED,
  fast bool DEFAULT true, PRIMARY KEY (id, port)
);
CREATE INDEX by_name ON "Bo""ats" ("Na me");
INSERT INTO "Bo""ats" ("Na me", port, sea, photo, data, tags)
  VALUES (E'Kes''trel; DROP TABLE ports', 'KEL', 'calm', '\\x00ff', '{"berth": 14}', '{a,"b c"}'),
    (NULL, 'KEL', NULL, NULL, 'null', NULL), ('', 'KEL', 'rough', '', '"\\u003cb>"', '{}');
CREATE TABLE notes (line text);
INSERT INTO notes SELECT 'line ' || n FROM generate_series(1, 120) n;
INSERT INTO notes VALUES (repeat('x', 100000));
CREATE VIEW calm AS SELECT * FROM "Bo""ats" WHERE sea = 'calm';
CREATE SCHEMA dock; CREATE TABLE dock.cranes (id int PRIMARY KEY, size numeric(20, 4), big int8);
INSERT INTO dock.cranes VALUES (1, 1234567890.5000, 9007199254740993);
`;

const tableQuery = (table: string, more: readonly [string, string][] = [], schema = "public") =>
  new URLSearchParams([["branch", "main"], ["schema", schema], ["table", table], ...more]);

/** Returns the text of a page's grid: one line per row, with cells separated by bars. */
function gridOf({ html }: Page): string[] {
  const [, body = ""] = /aria-label="Rows">[^]*?<tbody>([^]*?)<\/tbody>/.exec(html) ?? [];
  return [...body.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row = ""]) =>
    [...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell = ""]) =>
      cell.replaceAll(/<span class="hush">.*?<\/span>/g, "").replaceAll(
        /<span class="tag"[^>]*>/g,
        "«",
      )
        .replaceAll("</span>", "»").replaceAll(/<[^>]*>/g, "")
    ).join("|")
  );
}

async function explainsSizes({ ada }: DashboardPlatform) {
  const { html } = await ada.open("/workspaces/acme/projects/shop/databases");
  assert.match(html, /<option value="0\.25" selected="">0\.25 \(256 MB\)</);
  const [, page = "", id = ""] = /href="(\/docs\/databases)#([\w-]+)"/.exec(html) ?? [];
  assert.ok(
    (await ada.open(page)).html.includes(`id="${id}"`),
    "the link points to the section about sizes",
  );
}

async function looksAtTables({ ada }: DashboardPlatform) {
  const first = await ada.open(`${AT}/tables`);
  assert.match(first.html, /Bo&quot;ats/);
  for (const name of ["ports", "notes", "calm", "dock.cranes"]) {
    assert.ok(first.html.includes(`>${name}</span>`), name);
  }
  const boats = await ada.open(`${AT}/tables?${tableQuery('Bo"ats')}`);
  assert.deepEqual(gridOf(boats), [
    `Edit|1|Kes&#39;trel; DROP TABLE ports|KEL|calm|\\x00ff|{&quot;berth&quot;: 14}|{a,&quot;b c&quot;}|KES&#39;TREL; DROP TABLE PORTS|true`,
    `Edit|2|«null»|KEL|«null»|«null»|null|«null»|«null»|true`,
    `Edit|3|«empty»|KEL|rough|\\x|&quot;&lt;b&gt;&quot;|{}|«empty»|true`,
  ]);
  assert.match(boats.html, /CREATE INDEX by_name ON public/);
  assert.match(boats.html, /→ ports.code/);
  assert.match(boats.html, /PRIMARY KEY|"tag good">primary/);
}

async function filtersAndSorts({ ada }: DashboardPlatform) {
  const ids = async (...more: [string, string][]) => {
    const page = await ada.open(`${AT}/tables?${tableQuery('Bo"ats', more)}`);
    return gridOf(page).map((row) => row.split("|")[1]).join("");
  };
  const where = (column: string, is: string, value = ""): [string, string][] => [
    ["where", column],
    ["is", is],
    ["value", value],
  ];
  assert.equal(await ids(["sort", "id"], ["desc", "1"]), "321");
  assert.equal(await ids(...where("id", "gt", "1")), "23");
  assert.equal(await ids(...where("Na me", "null")), "2");
  assert.equal(await ids(...where("Na me", "has", "drop t")), "1");
  assert.equal(await ids(...where("Na me", "has", "%")), "");
  assert.equal(await ids(...where("sea", "eq", "rough")), "3");
  assert.equal(await ids(...where("id", "ne", "2"), ...where("Na me", "ne", "")), "1");
  assert.equal(
    await ids(...where('id" = 1 OR "id', "eq", "1")),
    "123",
    "a filter on an unknown column is ignored",
  );
  const wrong = await ada.open(`${AT}/tables?${tableQuery('Bo"ats', where("id", "eq", "1 OR 1"))}`);
  assert.match(wrong.html, /invalid input syntax for type integer/);

  const notes = await ada.open(`${AT}/tables?${tableQuery("notes")}`);
  assert.match(notes.html, /because it has no primary key/);
  assert.doesNotMatch(notes.html, /Add a row|>Edit</);
  assert.equal(gridOf(notes).length, 50);
  const last = await ada.open(`${AT}/tables?${tableQuery("notes", [["offset", "100"]])}`);
  assert.equal(gridOf(last).length, 21);
  assert.match(gridOf(last).at(-1)!, /^x{200}«… cut»$/);
  assert.match(
    (await ada.open(`${AT}/tables?${tableQuery("calm")}`)).html,
    /A view is read-only here/,
  );
}

async function editsRows(
  { ada }: DashboardPlatform,
  rows: (sql: string) => Promise<(string | null)[][]>,
) {
  const at = (...key: string[]) =>
    `${AT}/tables/row?${tableQuery('Bo"ats', key.map((value) => ["key", value]))}`;
  const values = (id: number) =>
    rows(`SELECT "Na me", sea, photo, data, tags, fast FROM "Bo""ats" WHERE id = ${id}`);
  const form = async (path: string) => {
    const page = await ada.open(path);
    assert.equal(page.status, 200, page.html);
    const found = formsOf(page.html).find(({ action }) => action.startsWith(path.split("?")[0]!));
    return { action: found!.action, fields: found!.fields };
  };
  const send = async (path: string, typed: Record<string, string>) => {
    const { action, fields } = await form(path);
    const answer = await ada.send("POST", action, { fields: { ...fields, ...typed } });
    return { answer, fields, action };
  };
  const edited = await send(at("1", "KEL"), {
    "value.Na me": "two\r\nlines",
    "value.sea": "rough",
    "value.photo": "\\x01",
    "mode.data": "null",
    "value.tags": "{}",
    "mode.fast": "default",
  });
  assert.equal(edited.answer.status, 303, edited.answer.html);
  assert.match(edited.answer.headers.get("location")!, /done=row-saved/);
  assert.deepEqual(await values(1), [["two\nlines", "rough", "\\x01", null, "{}", "t"]]);

  // The value has changed since the form was opened, so it is not overwritten, and both values are
  // shown.
  const late = await ada.send("POST", edited.action, {
    fields: { ...edited.fields, "value.Na me": "three" },
  });
  assert.equal(late.status, 409);
  assert.match(late.html, /Someone changed this row/);
  assert.match(late.html, /Now stored: two\nlines/);
  assert.match(late.html, />\nthree<\/textarea>/);
  assert.deepEqual((await values(1))[0]![0], "two\nlines");
  const gone = await ada.send("POST", edited.action.replace("tables/row?", "tables/row/remove?"), {
    fields: {
      csrf: edited.fields.csrf!,
      confirmed: "yes",
      branch: "main",
      fingerprint: edited.fields.fingerprint!,
    },
  });
  assert.equal(gone.status, 409);

  // NULL and an empty string are saved unchanged, and each can be changed to the other.
  const same = await send(at("2", "KEL"), { "value.Na me": "", "mode.Na me": "typed" });
  assert.match(same.answer.headers.get("location")!, /done=row-same/);
  await send(at("2", "KEL"), { "value.Na me": "", "mode.Na me": "empty" });
  await send(at("3", "KEL"), { "mode.Na me": "null" });
  assert.deepEqual(await rows(`SELECT id, "Na me" FROM "Bo""ats" WHERE id > 1 ORDER BY id`), [
    ["2", ""],
    ["3", null],
  ]);
  const refused = await send(at("2", "KEL"), { "value.sea": "stormy" });
  assert.equal(refused.answer.status, 400);
  assert.match(refused.answer.html, /invalid input value for enum mood: &quot;stormy&quot;/);

  const fresh = `${AT}/tables/new?${tableQuery('Bo"ats')}`;
  const added = await send(fresh, { "value.Na me": "He'ron\"; --", "value.port": "KEL" });
  assert.equal(added.answer.status, 303, added.answer.html);
  assert.deepEqual(await values(4), [["He'ron\"; --", null, null, null, null, "t"]]);
  const bad = await send(fresh, { "value.port": "NOWHERE", "value.Na me": "kept" });
  assert.equal(bad.answer.status, 400);
  assert.match(bad.answer.html, /violates foreign key constraint/);
  assert.match(bad.answer.html, />\nkept<\/textarea>/);

  const { fields } = await form(at("4", "KEL"));
  const removal = at("4", "KEL").replace("/row?", "/row/remove?");
  const question = await ada.send("POST", removal, { fields });
  assert.match(question.html, /<form id="question"/);
  assert.equal((await values(4)).length, 1);
  const removed = await ada.send("POST", removal, { fields: { ...fields, confirmed: "yes" } });
  assert.match(removed.headers.get("location")!, /done=row-removed/);
  assert.deepEqual(await values(4), []);
  assert.equal((await ada.open(at("4", "KEL"))).status, 404);
  const notes = await ada.open(`${AT}/tables/new?${tableQuery("notes")}`);
  assert.equal(notes.status, 409);
}

async function runsSql({ ada }: DashboardPlatform) {
  const page = await ada.open(`${AT}/sql`);
  const run = (sql: string, more: Record<string, string> = {}) =>
    ada.submit(page, `${AT}/sql`, { sql, ...more });
  const two = await run("SELECT 1 AS one, NULL AS n, '' AS e; SELECT 'b' AS two");
  assert.deepEqual([...two.html.matchAll(/aria-label="Rows"/g)].length, 2);
  assert.match(two.html, /SELECT 1<\/span>[^]*Took [\d,]+ ms/);
  assert.deepEqual(gridOf(two), ["1|«null»|«empty»"]);
  assert.match((await run("DELETE FROM notes")).html, /cannot execute DELETE in a read-only/);
  assert.match((await run("UPDATE notes SET line = line", { mayChange: "on" })).html, /UPDATE 121/);

  const [first, second] = formsOf(two.html).filter(({ action }) => action === `${AT}/sql/rows`);
  const file = (form: typeof first, format: string) =>
    ada.send("POST", `${AT}/sql/rows`, { fields: { ...form!.fields, format } });
  assert.equal((await file(first, "csv")).html, 'one,n,e\r\n1,,""\r\n');
  assert.equal((await file(second, "json")).html, '[\n{"two":"b"}\n]\n');
  const writes = await file(
    { ...first!, fields: { ...first!.fields, sql: "DELETE FROM notes" } },
    "csv",
  );
  assert.equal(writes.status, 400);

  const cranes = await ada.open(`${AT}/tables/rows.json?${tableQuery("cranes", [], "dock")}`);
  assert.equal(cranes.html, '[\n{"id":1,"size":1234567890.5000,"big":9007199254740993}\n]\n');
  assert.equal(
    cranes.headers.get("content-disposition"),
    'attachment; filename="cranes.json"',
  );
  const all = await ada.open(`${AT}/tables/rows.csv?${tableQuery("notes")}`);
  assert.equal(all.html.split("\r\n").length, 123);
}

async function managesDatabase({ ada, api, platform }: DashboardPlatform) {
  const page = await ada.open(AT);
  assert.match(page.html, /••••••••@/);
  const { json: { password } } = await api("GET", `${API}/connection`);
  assert.ok(!page.html.includes(password), "the password is shown only on request");
  const reveals = async () => {
    const { json: { items } } = await api("GET", "/v1/audit?limit=100");
    return items.filter(({ action }: { action: string }) => action === "getDatabaseConnection");
  };
  const before = (await reveals()).length;
  await ada.open(AT);
  assert.equal((await reveals()).length, before, "the password is not shown");
  const asked = await ada.submit(page, `${AT}/connection`, { branch: "main" });
  assert.equal((await reveals()).length, before + 1);
  for (const client of ["psql", "node-postgres", "Prisma", "Drizzle", "Django", "JDBC"]) {
    assert.ok(asked.html.includes(`>${client}</summary>`), client);
  }
  assert.ok(asked.html.split(password).length > 6);

  await ada.submit(page, `${AT}/branches`, { name: "trial", from: "main" });
  for (let n = 0; n < 600; n++) {
    const { json } = await api("GET", `${API}/branches`);
    if (json.items.every(({ state }: { state: string }) => state === "active")) break;
  }
  const script = "INSERT INTO ports VALUES ('OSL', 'Oslo');\nSELECT 1;\n";
  const send = async (text: string) => {
    const form = new FormData();
    const { csrf } = formsOf(page.html)[0]!.fields;
    form.set("csrf", csrf!);
    form.set("branch", "trial");
    form.set("script", new File([text], "ports.sql"));
    const encoded = new Response(form);
    return await fetch(`http://127.0.0.1:${platform.port}${AT}/import`, {
      method: "POST",
      headers: {
        cookie: ada.cookie,
        "sec-fetch-site": "same-origin",
        "content-type": encoded.headers.get("content-type")!,
      },
      body: await encoded.arrayBuffer(),
    }).then((response) => response.text());
  };
  assert.match(await send(script), /File imported: 2 statements/);
  assert.match(await send(script), /Nothing was imported\. duplicate key/);
  const trial = await ada.open(`${AT}/tables?branch=trial&table=ports&schema=public`);
  assert.deepEqual(gridOf(trial), ["Edit|KEL|Kiel", "Edit|OSL|Oslo"]);
  const exported = await ada.open(`${AT}/export.sql?branch=trial`);
  assert.match(exported.html, /OSL/);
  assert.match((await ada.open(`${AT}/schema.sql?branch=main`)).html, /CREATE TABLE/);
  assert.equal((await ada.open(`${AT}/tables?branch=nowhere`)).status, 404);

  await ada.submit(page, `${AT}/snapshots`, { branch: "main" });
  const { json: { items: [snapshot] } } = await api("GET", `${API}/snapshots`);
  const kept = await ada.open(AT);
  await ada.confirm(kept, `${AT}/snapshots/remove`);
  assert.ok(snapshot.id);
  assert.equal((await api("GET", `${API}/snapshots`)).json.items.length, 0);
  const over = await ada.submit(kept, `${AT}/snapshots/restore`, { branch: "main" });
  assert.match(over.html, /Replace the data in the branch main\?/);
  assert.match((await ada.confirm(kept, `${AT}/delete`, { typed: "other" })).html, /Must be/);
  assert.match((await ada.submit(kept, `${AT}/branches/reset`)).html, /Reset the branch trial\?/);
}

async function closesToViewers({ viewer, stranger, ada }: DashboardPlatform) {
  const { csrf: token } = formsOf((await viewer.open("/account")).html)[0]!.fields;
  const tables = await viewer.open(`${AT}/tables`);
  assert.match(tables.html, /Your role can&#39;t read database contents/);
  assert.doesNotMatch(tables.html, /<form method="post" action="[^"]*databases/);
  assert.doesNotMatch((await viewer.open(`${AT}/sql`)).html, /name="sql"/);
  assert.doesNotMatch((await viewer.open(AT)).html, /action="[^"]*databases/);
  const key: [string, string][] = [["key", "KEL"]];
  for (
    const path of [
      `tables/row?${tableQuery("ports", key)}`,
      `tables/new?${tableQuery("ports")}`,
      `tables/rows.csv?${tableQuery("ports")}`,
      "export.sql",
    ]
  ) {
    assert.equal((await viewer.open(`${AT}/${path}`)).status, 403, path);
    assert.equal((await stranger.open(`${AT}/${path}`)).status, 404, path);
  }
  const { fields } = formsOf(
    (await ada.open(`${AT}/tables/row?${tableQuery("ports", key)}`)).html,
  ).find(({ action }) => action.includes("tables/row"))!;
  for (
    const [path, more] of [
      [`tables/row?${tableQuery("ports", key)}`, { "value.name": "Taken" }],
      [`tables/row/remove?${tableQuery("ports", key)}`, {}],
      [`tables/new?${tableQuery("ports")}`, { "value.code": "NEW" }],
      ["sql", { sql: "TABLE ports" }],
      ["sql/rows", { sql: "TABLE ports", format: "csv" }],
      ["snapshots", {}],
      ["branches/reset", { branch: "trial" }],
      ["delete", { confirm: "orders" }],
    ] as const
  ) {
    const answer = await viewer.send("POST", `${AT}/${path}`, {
      fields: { ...fields, ...more, csrf: token! },
    });
    assert.equal(answer.status, 403, `${path}: ${answer.html}`);
  }
}

for (const [engine, options] of Object.entries({ embedded: {}, server: { postgres: "local" } })) {
  const ignore = engine === "server" && NO_POSTGRES !== undefined;
  Deno.test({
    name: `the database studio shows and changes tables and runs SQL (${engine})`,
    ignore,
    fn: (t) =>
      withDashboard(async (parts) => {
        const { own, api, platform } = parts;
        await api("POST", "/v1/projects", { name: "shop" });
        await createDatabase(own, "shop", "orders");
        const { json: { key: token } } = await api("POST", "/v1/api-keys", {
          name: "sql",
          role: "developer",
        });
        const read = async (sql: string): Promise<(string | null)[][]> => {
          const text = await (await sendSql(platform, API, { sql }, { token })).text();
          const events = text.trim().split("\n").map((line): QueryEvent => JSON.parse(line));
          assert.deepEqual(events.filter(({ type }) => type === "error"), []);
          return events.flatMap((event) => event.type === "rows" ? event.rows : []);
        };
        await read(TABLES);
        await t.step("sizes", () => explainsSizes(parts));
        await t.step("tables and values", () => looksAtTables(parts));
        await t.step("filters and order", () => filtersAndSorts(parts));
        await t.step("rows", () => editsRows(parts, read));
        await t.step("SQL and files", () => runsSql(parts));
        await t.step("branches, passwords, import", () => managesDatabase(parts));
        if (engine === "server") {
          await t.step("a point in time", async () => {
            const { ada } = parts;
            const { json } = await until(
              () => api("GET", API),
              ({ json }) => json.history.since !== null,
            );
            const page = await ada.open(AT);
            assert.match(
              page.html,
              /Restorable<\/dt><dd>since \d{4}-\d\d-\d\d [\d:]{8} UTC \(history of 7 days/,
            );
            const refused = await ada.submit(page, `${AT}/branches`, {
              name: "early",
              at: "2020-01-01T00:00",
            });
            assert.match(refused.html, /the history covers \S+ to now/);
            const wrong = await ada.submit(page, `${AT}/branches`, { name: "no", at: "x" });
            assert.match(wrong.html, /id="at-wrong"/);
            const at = new Date(Math.max(Date.now() - 1000, Date.parse(json.history.since)));
            const made = await ada.submit(page, `${AT}/branches`, {
              name: "as-of",
              at: at.toISOString().slice(0, -1),
            });
            assert.match(made.html, />as-of</);
          });
        }
        await t.step("viewers", () => closesToViewers(parts));
      }, options),
  });
}
