/** Accesses databases through the API and with PostgreSQL's own clients. */
import assert from "node:assert/strict";
import {
  callsOf,
  createDatabase,
  type DatabaseCase,
  onEachDatabase,
  sendSql,
  urlOf,
  withClient,
} from "../../helpers/databases.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { TOKEN } from "../../helpers/platform.ts";
import { BACKUPS } from "./backup_cases.ts";
import { MOVES } from "./move_cases.ts";
import { PIPELINES } from "./pipeline_cases.ts";

const CASES: readonly DatabaseCase[] = [
  {
    name: "clients can reach only the database in their connection string",
    async run(test) {
      const { platform, at, rows } = test;
      const url = await urlOf(platform, at);
      await withClient(url, async (client) => {
        await client.query("CREATE TABLE boats (name text)");
        await client.query("INSERT INTO boats VALUES ($1)", ["Kestrel"]);
      });
      assert.deepEqual(await rows("SELECT name FROM boats"), [["Kestrel"]]);
      const wrong = new URL(url);
      wrong.password = "guessed";
      await assert.rejects(withClient(wrong.href, () => Promise.resolve()), { code: "28P01" });
      await createDatabase(platform, test.project, "other", { autoInject: false });
      const other = new URL(await urlOf(platform, `/v1/projects/${test.project}/databases/other`));
      other.pathname = "/orders";
      await assert.rejects(withClient(other.href, () => Promise.resolve()));
      const { json } = await platform.api("GET", at);
      assert.deepEqual([json.engine, json.branches], [test.engine, 1]);
    },
  },

  {
    shares: true,
    name: "the API runs SQL, reports errors with their position, and has a read-only mode",
    async run(test) {
      const { platform, at, query } = test;
      const events = await query("CREATE TABLE t (n int); INSERT INTO t VALUES (1), (2); TABLE t");
      assert.deepEqual(events, [
        { type: "complete", command: "CREATE TABLE" },
        { type: "complete", command: "INSERT 0 2" },
        { type: "columns", columns: [{ name: "n", type: "int4" }] },
        { type: "rows", rows: [["1"], ["2"]] },
        { type: "complete", command: "SELECT 2" },
      ]);
      const [failed] = await query("SELECT nothing");
      assert.ok(failed?.type === "error");
      assert.deepEqual([failed.sqlState, failed.position], ["42703", 8]);
      const refused = (await query("DELETE FROM t", { readOnly: true })).at(-1);
      assert.ok(refused?.type === "error");
      assert.equal(refused.sqlState, "25006");
      for (const readOnly of [true, false]) {
        const given = await query("SELECT n, $2::text FROM t WHERE n = $1", {
          params: ["2", "'; DROP TABLE t; --"],
          readOnly,
        });
        assert.deepEqual(given[1], { type: "rows", rows: [["2", "'; DROP TABLE t; --"]] });
        const [several] = await query("SELECT $1::int; SELECT 2", { params: ["1"], readOnly });
        assert.equal(several?.type === "error" && several.sqlState, "42601");
      }

      const key = await platform.api("POST", "/v1/api-keys", {
        json: { name: "v", role: "viewer" },
      });
      const token = key.json.key;
      const asViewer = await sendSql(platform, at, { sql: "SELECT 1" }, { token });
      assert.equal(asViewer.status, 403);
      await asViewer.body?.cancel();
      const connection = await platform.api("GET", `${at}/connection`, { token });
      assert.equal(connection.status, 403);
    },
  },

  {
    shares: true,
    name: "a large result is streamed, and a client that disconnects cancels its query",
    async run(test) {
      const { platform, at, rows } = test;
      const leaving = new AbortController();
      const answer = await sendSql(
        platform,
        at,
        { sql: "SELECT repeat('x', 1000) FROM generate_series(1, 100000)" },
        { signal: leaving.signal },
      );
      const reader = answer.body!.getReader();
      await reader.read();
      leaving.abort();
      await reader.read().catch(() => {});
      assert.deepEqual(await rows("SELECT count(*) FROM generate_series(1, 50000)"), [["50000"]]);
    },
  },

  {
    name: "a branch is a separate copy, and a snapshot restores earlier data",
    // Copies on the embedded engine, where each copy takes seconds, are tested in
    // `engine_contract_test`.
    only: "server",
    async run(test) {
      const { platform, at, rows } = test;
      await rows("CREATE TABLE boats (name text); INSERT INTO boats VALUES ('Kestrel')");
      const made = await platform.api("POST", `${at}/branches`, { json: { name: "feature/a" } });
      assert.equal(made.json.state, "active");
      await withClient(await urlOf(platform, at, "feature/a"), async (client) => {
        await client.query("INSERT INTO boats VALUES ('Heron')");
      });
      assert.deepEqual(await rows("SELECT name FROM boats"), [["Kestrel"]]);
      assert.equal((await rows("SELECT name FROM boats", "feature/a")).length, 2);
      const reset = await platform.api("POST", `${at}/branches/feature%2Fa/reset`);
      assert.equal(reset.status, 200);
      assert.deepEqual(await rows("SELECT name FROM boats", "feature/a"), [["Kestrel"]]);

      const snapshot = await platform.api("POST", `${at}/snapshots`, { json: {} });
      await rows("DROP TABLE boats");
      const restored = await platform.api("POST", `${at}/snapshots/${snapshot.json.id}/restore`, {
        json: { branch: "main" },
      });
      assert.equal(restored.json.state, "active", JSON.stringify(restored.json));
      assert.deepEqual(await rows("SELECT name FROM boats"), [["Kestrel"]]);
      const removed = await platform.api("DELETE", `${at}/branches/feature%2Fa`);
      assert.equal(removed.status, 204);
    },
  },

  {
    shares: true,
    name: "clients are told that a database is stopped, and can use it again after a start",
    async run(test) {
      const { platform, at, rows } = test;
      const url = await urlOf(platform, at);
      await withClient(url, async (client) => {
        const ended = new Promise<void>((resolve) => client.on("end", () => resolve()));
        assert.equal((await platform.api("POST", `${at}/stop`)).json.state, "stopped");
        await ended;
      });
      await assert.rejects(withClient(url, () => Promise.resolve()), {
        code: "57P03",
        message: 'Database "orders" is stopped. Start it: svc db start orders',
      });
      await platform.api("POST", `${at}/start`);
      assert.deepEqual(await rows("SELECT 1"), [["1"]]);
    },
  },

  {
    name: "a script is imported either completely or not at all",
    async run({ platform, at, rows }) {
      const importScript = async (body: string) => {
        const response = await fetch(`http://127.0.0.1:${platform.port}${at}/import`, {
          method: "POST",
          headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/octet-stream" },
          body,
        });
        return (await response.text()).trim().split("\n").map((line) => JSON.parse(line));
      };
      const dump =
        "\\restrict abc\nSET client_encoding = 'UTF8';\nSET of_a_newer_server = 0;\nCREATE TABLE boats (name text, " +
        "note text);\nCOPY boats (name, note) FROM stdin;\nKestrel\tsmall; 'quick'\nHeron\t\\N\n\\.\n" +
        "\\unrestrict abc\nCREATE FUNCTION one() RETURNS int LANGUAGE sql AS $$ SELECT 1; $$;\n";
      const events = await importScript(dump);
      assert.deepEqual(events.map(({ command, severity }) => command ?? severity), [
        "SET",
        "WARNING",
        "CREATE TABLE",
        "COPY 2",
        "CREATE FUNCTION",
      ]);
      assert.deepEqual(await rows("SELECT name, note FROM boats ORDER BY name"), [
        ["Heron", null],
        ["Kestrel", "small; 'quick'"],
      ]);
      const script = "INSERT INTO boats VALUES ('Lost');\nINSERT INTO nowhere VALUES (1);\n";
      const failed = (await importScript(script)).at(-1);
      assert.equal(failed.sqlState, "42P01");
      assert.equal(script.slice(failed.position - 1, failed.position + 6), "nowhere");
      assert.deepEqual(await rows("SELECT count(*) FROM boats"), [["2"]]);
    },
  },

  {
    shares: true,
    name: "a database moves to another engine with its rows and keeps its connection string",
    only: "server",
    async run({ platform, project }) {
      await createDatabase(platform, project, "small", { engine: "embedded" });
      const at = `/v1/projects/${project}/databases/small`;
      const { rows } = callsOf(platform, at);
      await rows("CREATE TABLE boats (id int GENERATED ALWAYS AS IDENTITY, name text)");
      await rows("INSERT INTO boats (name) VALUES ('Kestrel'), ('Heron')");
      const url = await urlOf(platform, at);
      const move = await platform.api("POST", `${at}/move`, { json: { engine: "server" } });
      assert.equal(move.status, 200);
      const { json: moved } = await until(
        () => platform.api("GET", at),
        ({ json }) => json.state !== "creating",
        120_000,
      );
      assert.deepEqual([moved.state, moved.reason, moved.engine], ["active", null, "server"]);
      assert.equal(await urlOf(platform, at), url);
      assert.deepEqual(await rows("SELECT name FROM boats ORDER BY id"), [["Kestrel"], ["Heron"]]);
    },
  },

  {
    shares: true,
    name: "a deleted database is unreachable until it is restored",
    async run(test) {
      const { platform, at, rows } = test;
      await rows("CREATE TABLE docks (name text)");
      const url = await urlOf(platform, at);
      const { json: { id } } = await platform.api("DELETE", at);
      await assert.rejects(withClient(url, () => Promise.resolve()), { code: "57P03" });
      const back = await platform.api(
        "POST",
        `/v1/projects/${test.project}/databases/${id}/undelete`,
      );
      assert.equal(back.json.state, "active");
      assert.deepEqual(await callsOf(platform, at).rows("SELECT count(*) FROM docks"), [["0"]]);
    },
  },
];

// Backups come first because their duration depends on the number of databases.
onEachDatabase("databases", [...BACKUPS, ...CASES, ...PIPELINES, ...MOVES]);
