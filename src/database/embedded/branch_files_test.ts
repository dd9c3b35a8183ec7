import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { TestGateway } from "../_test_gateway.ts";
import { withBranchFiles } from "./branch_files.ts";
import { databaseProcessCommand } from "./process_command.ts";
import { EmbeddedEngine } from "./embedded_engine.ts";

const ACCOUNTS = 20;
const TOTAL = ACCOUNTS * 100;

/** Repeatedly moves money between two accounts, and records each commit in `moves`. */
const MOVE = `WITH one AS (UPDATE accounts SET sum = sum - 1 WHERE id = $1),
  other AS (UPDATE accounts SET sum = sum + 1 WHERE id = $2)
  INSERT INTO moves (filler) VALUES (repeat('x', 500)) RETURNING id`;

Deno.test("withBranchFiles() copies a consistent state of a branch during writes", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-branch-files-" });
  const command = databaseProcessCommand({ env: Deno.env.toObject() });
  const engine = new EmbeddedEngine({ folder: join(folder, "one"), command });
  const copied = new EmbeddedEngine({ folder: join(folder, "other"), command });
  const [gateway, other] = [new TestGateway(engine), new TestGateway(copied)];
  const branch = await gateway.create();
  const writer = await gateway.connect(branch);
  await writer.query(`CREATE TABLE accounts (id int PRIMARY KEY, sum int);
    CREATE TABLE moves (id serial PRIMARY KEY, filler text);
    INSERT INTO accounts SELECT n, 100 FROM generate_series(1, ${ACCOUNTS}) AS n`);
  let [last, isDone] = [0, false];
  const writing = (async () => {
    while (!isDone) {
      const [from, to] = [1 + last % ACCOUNTS, 1 + (last + 7) % ACCOUNTS];
      last = (await writer.query<{ id: number }>(MOVE, [from, to])).rows[0]!.id;
    }
  })();
  const before = last;
  const found = await withBranchFiles(
    { folder: join(folder, "one"), id: branch.id },
    async ({ folders, files }) => {
      const root = join(folder, "other", branch.id);
      for (const each of folders) await Deno.mkdir(join(root, each), { recursive: true });
      for (const { path, from } of files) {
        await Deno.mkdir(dirname(join(root, path)), { recursive: true });
        await Deno.copyFile(from, join(root, path)).catch((error) => {
          assert.ok(error instanceof Deno.errors.NotFound);
        });
      }
    },
  );
  assert.ok(found);
  const after = last;
  assert.ok(after > before, "the branch was written to during the copy");
  isDone = true;
  await writing;
  other.know(branch);
  const reader = await other.connect(branch);
  const { rows: [sums] } = await reader.query<{ total: number; moves: number; last: number }>(
    `SELECT (SELECT sum(sum) FROM accounts)::int AS total,
      (SELECT count(*) FROM moves)::int AS moves, (SELECT max(id) FROM moves) AS last`,
  );
  assert.equal(sums!.total, TOTAL);
  assert.equal(sums!.moves, sums!.last);
  assert.ok(sums!.last >= before, "the copy contains earlier commits");
  await Promise.all([writer.end(), reader.end()]);
  await Promise.all([gateway.close(), other.close()]);
  await Deno.remove(folder, { recursive: true });
});
