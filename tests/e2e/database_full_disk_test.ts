/**
 * Fills the disk under each engine. Statements that need space must fail with 53100, reads must
 * keep working, and writes must work again once there is space. The data directory is a small
 * in-memory file system that only the program can see.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import pg from "pg";
import { programCommand, startProgram } from "../../scripts/_program.ts";
import { runProgram } from "../../src/lib/spawn_program.ts";
import { until } from "../../src/lib/_test_until.ts";
import { callApi, TOKEN, withSandbox } from "../helpers/sandbox.ts";
import { noServer } from "../helpers/postgres.ts";

const DISK_MB = 300;
/** Disk space that remains for the statement that must fail, in bytes. */
const LEFT_BYTES = 4 * 1024 * 1024;
const ROWS = 1000;
/** Number of rows of 1000 bytes, which take five times the remaining space. */
const MORE_ROWS = Math.floor(5 * LEFT_BYTES / 1000);

/**
 * Mounts a disk at the path in the first argument, in a new namespace, and executes the remaining
 * arguments.
 */
const ON_SMALL_DISK = [
  "unshare",
  "--mount",
  "sh",
  "-c",
  `mount -t tmpfs -o size=${DISK_MB}m,mode=711 tmpfs "$0" && exec "$@"`,
] as const;

/**
 * Returns the reason why a file system cannot be mounted here; `undefined` if one can be mounted.
 */
async function findLack(): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return "only Linux can mount a file system for one program";
  const folder = await Deno.makeTempDir();
  const [program, ...args] = [...ON_SMALL_DISK, folder, "true"];
  const ran = await runProgram(program, { args }).catch(({ message }: Error) => message);
  await Deno.remove(folder);
  if (typeof ran === "string") return ran;
  return ran.success
    ? undefined
    : `no permission to mount: ${new TextDecoder().decode(ran.stderr)}`;
}

/** Fills a file until the disk is almost full. */
async function fillDisk(path: string): Promise<void> {
  const chunk = new Uint8Array(LEFT_BYTES);
  using file = await Deno.open(path, { create: true, write: true });
  let size = 0;
  try {
    for (;;) size += await file.write(chunk);
  } catch (error) {
    assert.match(String(error), /No space left/);
  }
  await file.truncate(size - LEFT_BYTES);
}

const ENGINES: Readonly<Record<string, readonly string[]>> = {
  embedded: [],
  server: ["--postgres", "local"],
};
const noDisk = await findLack();

for (const [engine, args] of Object.entries(ENGINES)) {
  const lack = noDisk ?? (engine === "server" ? noServer() : undefined);
  Deno.test({
    name: `a database refuses writes while its disk is full, ${engine}${
      lack === undefined ? "" : ` (skipped: ${lack})`
    }`,
    ignore: lack !== undefined,
    fn: () =>
      withSandbox(async (box) => {
        // PostgreSQL's user must have access to the data directory.
        await Deno.chmod(box.folder, 0o755);
        await Deno.mkdir(box.dataDir);
        box.platform = await startProgram({
          command: [...ON_SMALL_DISK, box.dataDir, ...programCommand()],
          dataDir: box.dataDir,
          args: [...args, "--postgres-port", "0"],
          env: { ...box.env, SVC_BOOTSTRAP_TOKEN: TOKEN },
        });
        await callApi(box, "POST", "/v1/projects", { name: "shop" });
        const at = "/v1/projects/shop/databases";
        await callApi(box, "POST", at, { name: "orders" });
        const { engine: found } = await until(
          () => callApi(box, "GET", `${at}/orders`),
          ({ state }) => state === "active",
          120_000,
        );
        assert.equal(found, engine);
        const { url } = await callApi(box, "GET", `${at}/orders/connection`);
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        const count = async () => (await client.query("SELECT count(*)::int n FROM kept")).rows;
        await client.query("CREATE TABLE kept (n int, text text)");
        await client.query(`INSERT INTO kept SELECT n, 'x' FROM generate_series(1, ${ROWS}) n`);

        const ballast = join("/proc", String(box.platform.pid), "root", box.dataDir, "ballast");
        await fillDisk(ballast);
        const tooMuch = `INSERT INTO kept SELECT n, repeat('x', 1000)
          FROM generate_series(1, ${MORE_ROWS}) n`;
        for (let round = 0; round < 2; round++) {
          await assert.rejects(client.query(tooMuch), { code: "53100" });
          assert.deepEqual(await count(), [{ n: ROWS }]);
        }
        await Deno.remove(ballast);
        await client.query(tooMuch);
        assert.deepEqual(await count(), [{ n: ROWS + MORE_ROWS }]);
        await client.end();
      }),
  });
}
