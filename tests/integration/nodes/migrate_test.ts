import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { cleanEnvironment, programCommand } from "../../../scripts/_program.ts";
import { assertAnswers } from "../../../src/cli/_test_answers.ts";
import { openTestStorage } from "../../../src/platform/core/s3/_test_storage.ts";
import { NO_POSTGRES, TestPg } from "../../../src/platform/core/store/_test_pg.ts";
import { createProject, deploy, start, type TestPlatform } from "../../helpers/platform.ts";
import { DenoStore } from "../../../src/store/mod.ts";

const FILES = 300;
const FILLER = 20_000;

/** Adds more records than a test platform has, so that a move takes a while. */
async function fill(place: string): Promise<void> {
  const kv = await DenoStore.open(place);
  for (let first = 0; first < FILLER; first += 500) {
    const operation = kv.atomic();
    for (let n = first; n < first + 500; n++) operation.set(["filler", n], new Uint8Array(100));
    await operation.commit();
  }
  kv.close();
}

async function furnish(platform: TestPlatform): Promise<void> {
  const project = await createProject(platform, "site");
  const set = await platform.api("PUT", `/v1/projects/${project.id}/variables/PASSWORD`, {
    json: { value: "sealed value", category: "secret", scope: "all" },
  });
  assert.ok(set.status < 300, `${set.status}`);
  const files = Object.fromEntries(
    Array.from({ length: FILES }, (_, n) => [`${n}.txt`, `file ${n} ${"x".repeat(20_000)}`]),
  );
  await deploy(platform, project.id, { files: { ...files, "index.html": "moved" } });
}

Deno.test({
  name: "a platform moves to PostgreSQL and S3 and back, even if the move is killed",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using pg = await TestPg.start();
    await using storage = await openTestStorage();
    const folder = await Deno.makeTempDir({ prefix: "svc-move-" });
    const { socket, user, database, password } = await pg.newAddress();
    const kv = `postgres://${user}@/${database}?host=${dirname(socket!)}`;
    const env = { ...Deno.env.toObject(), ...storage.env, SVC_KV_PASSWORD: password! };
    const data = join(folder, "data");
    const keys = join(data, "keys.json");
    const count = async () =>
      Number(
        (await pg.runSql("SELECT count(*) FROM svc.records", database).catch(() => []))[0]?.count ??
          0,
      );

    const [program, ...first] = programCommand();
    const migrate = (args: readonly string[]) =>
      new Deno.Command(program, {
        args: [...first, "migrate-store", "--json", ...args],
        clearEnv: true,
        stdout: "piped",
        stderr: "piped",
        stdin: "null",
        env: { ...cleanEnvironment(folder), ...storage.env, SVC_KV_PASSWORD: password! },
      }).spawn();
    const finish = async (args: readonly string[]) => {
      const { stdout, stderr } = await migrate(args).output();
      const text = new TextDecoder();
      assertAnswers(["migrate-store"], text.decode(stdout));
      return JSON.parse(text.decode(stdout).trim().split("\n").at(-1) || text.decode(stderr));
    };
    /** Runs the command until a condition is true, and then kills it. */
    const kill = async (args: readonly string[], when: () => Promise<boolean>) => {
      const child = migrate(args);
      let isOver = false;
      const output = child.output().finally(() => isOver = true);
      while (!await when() && !isOver) await new Promise((done) => setTimeout(done, 20));
      if (!isOver) child.kill("SIGKILL");
      const { signal, stdout } = await output;
      assert.equal(
        signal,
        "SIGKILL",
        `the migration ended before it was killed: ${new TextDecoder().decode(stdout)}`,
      );
    };

    const before = await start(data);
    try {
      await furnish(before);
    } finally {
      await before.shutdown();
    }
    await fill(join(data, "kv.sqlite3"));
    const there = ["--data-dir", data, "--to", kv, "--to", storage.place];
    // While the store contains only the mark, files are being moved.
    await kill(there, async () => await count() === 1);
    await kill(there, async () => await count() > 1);
    await assert.rejects(start(join(folder, "b"), { kv, keysFile: keys, env }), /move/);
    const moved = await finish(there);
    assert.equal(moved.resumed, true, JSON.stringify(moved));
    assert.ok(
      moved.records.copied < moved.records.count,
      "the migration resumes where it was killed",
    );

    const options = { kv, keysFile: keys, blobs: storage.place, env };
    const after = await start(join(folder, "b"), options);
    await check(after);
    await after.shutdown();

    const back = join(folder, "back");
    const from = ["--data-dir", back, "--from", kv, "--from", storage.place, "--keys-file", keys];
    const sizeOf = (name: string) => Deno.stat(join(back, name)).then(({ size }) => size, () => 0);
    await kill(
      from,
      async () => await sizeOf("kv.sqlite3") + await sizeOf("kv.sqlite3-wal") > 300_000,
    );
    const returned = await finish(from);
    assert.equal(returned.error, undefined);
    const home = await start(back, { keysFile: keys });
    await check(home);
    await home.shutdown();
    await Deno.remove(folder, { recursive: true });
  },
});

async function check(platform: TestPlatform): Promise<void> {
  assert.equal((await platform.get("site.localhost", "/")).text, "moved");
  const file = await platform.get("site.localhost", "/77.txt");
  assert.match(file.text, /^file 77 x/);
  const { json } = await platform.api("GET", "/v1/projects");
  const project = json.items[0].id;
  const seen = await platform.api("POST", `/v1/projects/${project}/variables/export`, {
    json: { environment: "production" },
  });
  assert.equal(seen.json.variables.PASSWORD, "sealed value");
}
