/** Tests the initial content of a preview's database, as configured under `[db]` in svc.toml. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { callApi, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const PEOPLE = `
CREATE TABLE users (id int PRIMARY KEY, email text UNIQUE, name text NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, email text REFERENCES users (email));
INSERT INTO users VALUES (1, 'ada@real.test', 'Ada Real'), (2, 'bob@real.test', 'Bob Real');
INSERT INTO orders VALUES (10, 'bob@real.test');
`;

const MASK = `
[db.mask.users]
email = "hash"
name = "fake:name"
[db.mask.orders]
email = "hash"
`;

const BRANCH = "preview/cart";

async function configure(box: Sandbox, db: string): Promise<void> {
  const project = '[project]\nname = "shop"\n';
  await Deno.writeTextFile(join(box.site, "svc.toml"), `${project}${db}`);
}

async function deploy(box: Sandbox, branch = "cart") {
  const { code, stdout } = await box.tool(["deploy", "--branch", branch, "--json"]);
  return { code, stdout };
}

async function deployed(box: Sandbox): Promise<void> {
  const { code, stdout } = await deploy(box);
  assert.equal(code, 0, stdout);
}

async function rows(box: Sandbox, sql: string, branch = BRANCH): Promise<string[]> {
  const { stdout } = await box.tool(["db", "query", "--branch", branch, "--csv", sql]);
  return stdout.trim().split(/\r?\n/).slice(1);
}

const branchesOf = async (box: Sandbox): Promise<string[]> => {
  const { items } = await callApi(box, "GET", "/v1/projects/shop/databases/orders/branches");
  return items.map(({ name }: { name: string }) => name);
};

const JOINED = "SELECT u.id, u.email, u.name FROM orders o JOIN users u USING (email)";

/** Settings that are rejected, each with its message. None of them may leave a branch behind. */
const REFUSED: readonly (readonly [string, RegExp])[] = [
  ["[db.mask.people]\nemail = 'hash'", /db\.mask\.people: The table does not exist/],
  ["[db.mask.users]\nmail = 'hash'", /db\.mask\.users\.mail: The column does not exist/],
  ["[db.mask.users]\nname = 'null'", /db\.mask\.users\.name: The column is NOT NULL/],
  ["[db.mask.users]\nemail = 'hash'", /foreign key orders_email_fkey of public\.orders/],
  ["[db]\ndatabase = 'gone'\npreview = 'copy'", /sets the database \\"gone\\" in \[db\]/],
  ["[db.mask.users]\nemail = 'fake:mail'", /"line":4,"column":9/],
];

Deno.test("a preview's database is a masked copy, only the schema, or empty", () =>
  withSandbox(async (box) => {
    await box.start();
    await Deno.writeTextFile(join(box.site, "index.html"), "<h1>Shop</h1>");
    await configure(box, "");
    await box.json(["projects", "create", "--name", "shop"]);
    await box.json(["db", "create", "--name", "orders", "--wait"]);
    await box.json(["db", "query", PEOPLE]);

    for (const [db, message] of REFUSED) {
      await configure(box, `${db}\n`);
      const { code, stdout } = await deploy(box);
      assert.notEqual(code, 0, db);
      assert.match(stdout, message);
      assert.deepEqual(await branchesOf(box), ["main"], "a refused deployment leaves no branch");
    }

    await configure(box, MASK);
    await deployed(box);
    assert.deepEqual(await branchesOf(box), ["main", BRANCH]);
    const [masked, ...others] = await rows(box, JOINED);
    assert.match(masked!, /^2,[0-9a-f]{64},[A-Z][a-z]+ [A-Z][a-z]+$/);
    assert.deepEqual(others, [], "equal values have equal hashes, so joins work");
    assert.deepEqual(await rows(box, JOINED, "main"), ["2,bob@real.test,Bob Real"]);

    await box.json(["db", "query", "--branch", BRANCH, "DELETE FROM orders"]);
    await deployed(box);
    assert.deepEqual(await rows(box, JOINED), [], "the next deployment keeps the branch's data");
    await box.json(["db", "branches", "reset", BRANCH, "--force"]);
    assert.deepEqual(await rows(box, JOINED), [masked], "a reset masks again, with the same key");

    await box.json(["db", "query", "--branch", BRANCH, "DELETE FROM orders"]);
    await configure(box, `[db]\nreset = "deploy"\n${MASK}`);
    await deployed(box);
    assert.deepEqual(await rows(box, JOINED), [masked], "each deployment resets the branch");

    await configure(box, `[db]\nreset = "deploy"\n${MASK}nothing = "hash"\n`);
    const { code, stdout } = await deploy(box);
    assert.notEqual(code, 0, stdout);
    assert.match(stdout, /db\.mask\.orders\.nothing: The column does not exist/);
    assert.deepEqual(
      await rows(box, JOINED),
      [masked],
      "a refused deployment keeps the previous data",
    );

    await configure(box, '[db]\npreview = "schema"\n');
    await deployed(box);
    assert.deepEqual(await rows(box, "SELECT count(*) FROM users"), ["0"]);

    await configure(box, '[db]\npreview = "empty"\n');
    await deployed(box);
    const tables = "SELECT count(*) FROM pg_class WHERE relname = 'users'";
    assert.deepEqual(await rows(box, tables), ["0"]);
    assert.equal(await box.platform!.stop(), 0);
  }));
