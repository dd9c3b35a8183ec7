/** The `db` commands in both output modes, on a separate PostgreSQL. */
import { type Step, testTranscript } from "../_test_transcript.ts";

const sql = (text: string) => ["db", "query", text] as const;

const steps: readonly Step[] = [
  { name: "none", argv: ["db", "list"] },
  { name: "query without a database", argv: sql("select 1"), code: 1 },
  {
    name: "create again",
    before: (bench) => bench.json(["db", "create", "--wait"]),
    argv: ["db", "create"],
    code: 1,
  },
  { name: "create with an invalid name", argv: ["db", "create", "--name", "My Shop"], code: 2 },
  { name: "create with an invalid size", argv: ["db", "create", "--cu-size", "3"], code: 2 },
  {
    name: "several statements",
    argv: sql(
      "create table boats (id int primary key, name text); " +
        "insert into boats values (1, 'Kestrel'), (2, null) returning id; select * from boats",
    ),
  },
  { name: "from stdin", argv: ["db", "query"], stdin: "select 7 as seven;\n" },
  {
    name: "from a file",
    argv: ["db", "query", "--file", "boats.sql"],
    files: { "boats.sql": "select id, name, 'a,\"b' as text\nfrom boats;\n" },
  },
  {
    name: "values of all kinds",
    argv: sql(
      "select true as b, 9007199254740993 as big, 0.10 as n, 1.5::float8 as f, " +
        `'{"a": [1]}'::jsonb as j, '2026-11-22'::date as d, E'a\\x1b[2J' as t, null as x`,
    ),
  },
  { name: "an error in the SQL", argv: sql("select 1;\nselect * from bots"), code: 1 },
  {
    name: "an error with detail, which rolls back the statements before it",
    argv: sql("insert into boats values (3, 'Tern'); insert into boats values (1, 'Wren')"),
    code: 1,
  },
  { name: "it is undone", argv: sql("select count(*)::int from boats") },
  { name: "nothing to run", argv: sql("/* nothing */"), code: 2 },
  { name: "two sources", argv: ["db", "query", "select 1", "--file", "boats.sql"], code: 2 },
  { name: "an unknown database", argv: [...sql("select 1"), "--database", "my-sit"], code: 1 },
  { name: "settings", argv: ["db", "config"] },
  {
    name: "change settings",
    argv: [
      "db",
      "config",
      "my-site",
      "--env-var",
      "SHOP_URL",
      "--environments",
      "production",
      "--preview-branches",
      "true",
    ],
  },
  { name: "a wrong setting", argv: ["db", "config", "--auto-inject", "yes"], code: 2 },
  { name: "another size", argv: ["db", "config", "my-site", "--cu-size", "0.5"] },
  { name: "settings for all environments", argv: ["db", "config", "--environments", "all"] },
  { name: "no auto-inject", argv: ["db", "config", "--auto-inject", "false"] },
  { name: "no database chosen", argv: ["db", "stop"], code: 1 },
  { name: "stop", argv: ["db", "stop", "my-site"] },
  {
    name: "query a stopped database",
    argv: [...sql("select 1"), "--database", "my-site"],
    code: 1,
  },
  {
    name: "the database of svc.toml",
    argv: ["db", "start"],
    before: async (bench) => {
      await bench.write(
        "svc.toml",
        `${await bench.read("svc.toml")}\n[db]\ndatabase = "my-site"\n`,
      );
    },
  },
  { name: "delete without confirmation", argv: ["db", "delete", "my-site"], code: 1 },
  {
    name: "delete, and the person types another name",
    argv: ["db", "delete", "my-site"],
    answers: ["my-sit"],
    code: 1,
  },
  { name: "delete", argv: ["db", "delete", "my-site", "--force"] },
  { name: "info about a deleted database", argv: ["db", "info"], code: 1 },
  { name: "undelete another", argv: ["db", "undelete", "my-sit"], code: 1 },
  { name: "undelete", argv: ["db", "undelete", "my-site"] },
  { name: "it has the same content", argv: sql("select id from boats order by id") },
];

const branchSteps: readonly Step[] = [
  {
    name: "CSV",
    before: async (bench) => {
      await bench.json(["db", "create", "--wait"]);
      await bench.json(["db", "query", "create table boats (id int primary key)"]);
    },
    argv: ["db", "query", "--csv", "insert into boats values (1), (2) returning id, null as n"],
  },
  { name: "branch", argv: ["db", "branches", "create", "feature/cart", "--ttl", "7d"] },
  { name: "branch again", argv: ["db", "branches", "create", "feature/cart"], code: 1 },
  {
    name: "branch from a missing branch",
    argv: ["db", "branches", "create", "b", "--from", "x"],
    code: 1,
  },
  { name: "too short a lifetime", argv: ["db", "branches", "create", "c", "--ttl", "5s"], code: 2 },
  {
    name: "change the branch",
    argv: [...sql("delete from boats"), "--branch", "feature/cart"],
  },
  { name: "its parent has not changed", argv: sql("select id from boats order by id") },
  { name: "reset", argv: ["db", "branches", "reset", "feature/cart"] },
  {
    name: "it equals its parent",
    argv: [...sql("select id from boats order by id"), "--branch", "feature/cart"],
  },
  { name: "reset main", argv: ["db", "branches", "reset", "main"], code: 2 },
  { name: "delete an unknown branch", argv: ["db", "branches", "delete", "featre/cart"], code: 1 },
  {
    name: "delete a branch, and the person says no",
    argv: ["db", "branches", "delete", "feature/cart"],
    answers: [false],
    code: 1,
  },
  { name: "delete a branch", argv: ["db", "branches", "delete", "feature/cart"] },
  { name: "no snapshots", argv: ["db", "snapshots"] },
  { name: "keep a snapshot", argv: ["db", "snapshots", "create"] },
  { name: "lose something", argv: sql("delete from boats where id = 2") },
  { name: "restore without confirmation", argv: ["db", "snapshots", "restore", "latest"], code: 1 },
  { name: "restore beside", argv: ["db", "snapshots", "restore", "latest", "--branch", "before"] },
  { name: "restore", argv: ["db", "snapshots", "restore", "latest", "--force"] },
  { name: "it is back", argv: sql("select id from boats order by id") },
  { name: "a missing snapshot", argv: ["db", "snapshots", "restore", "x"], code: 1 },
  {
    name: "create a second one, while deployments get the variable from the first",
    argv: ["db", "create", "--name", "stats", "--wait"],
  },
  {
    name: "create a third one with its own variable",
    argv: ["db", "create", "--name", "orders", "--env-var", "ORDERS_URL", "--wait"],
  },
];

/** The size and start time of the history differ between runs. */
const WITHOUT_HISTORY = { databaseHistory: { days: 0, bytes: 0 } };

testTranscript("db", steps, WITHOUT_HISTORY);
testTranscript("db_branches", branchSteps, WITHOUT_HISTORY, ["human"]);
