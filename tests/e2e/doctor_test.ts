/** Tests the checks that `svc doctor` runs for storage that nodes share. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import * as z from "zod";
import { cleanEnvironment, programCommand } from "../../scripts/_program.ts";
import { openFaultyStorage } from "../../src/platform/core/s3/_test_storage.ts";
import { NO_POSTGRES, TestPg } from "../../src/platform/core/store/_test_pg.ts";
import { inTestFolder } from "../../src/lib/_test_folder.ts";

const report = z.object({
  points: z.array(z.object({
    name: z.string(),
    state: z.string(),
    found: z.string(),
    advice: z.string().optional(),
  })),
});

const known = (variables: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]]
    ),
  );

/** Runs `svc doctor` and returns its checks by name. */
async function examine(
  flags: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
) {
  return await inTestFolder(async (home) => {
    const [program, ...args] = programCommand();
    const { stdout, stderr } = await new Deno.Command(program, {
      args: [...args, "doctor", ...flags, "--json"],
      env: { ...cleanEnvironment(home), ...known(variables) },
      clearEnv: true,
      stdin: "null",
    }).output();
    const text = new TextDecoder().decode(stdout);
    assert.ok(text !== "", new TextDecoder().decode(stderr));
    const { points } = report.parse(JSON.parse(text));
    return new Map(points.map((point) => [point.name, point]));
  });
}

Deno.test({
  name: "svc doctor checks PostgreSQL without changing it, and reports problems",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using pg = await TestPg.start();
    const { socket, user, database, password } = await pg.newAddress();
    const look = (role: string, given = password!) =>
      examine(["--kv", `postgres://${role}@/${database}?host=${dirname(socket!)}`], {
        SVC_KV_PASSWORD: given,
      });
    const well = await look(user);
    assert.equal(well.get("key-value store")?.state, "ok");
    assert.match(
      well.get("key-value store")!.found,
      /^PostgreSQL \d+.*svc will create its tables$/,
    );
    assert.deepEqual(
      ["standbys", "database clock"].map((name) => well.get(name)?.state),
      ["warn", "ok"],
    );
    const [row] = await pg.runSql(
      "SELECT to_regnamespace('svc') IS NOT NULL AS made",
      database,
    );
    assert.equal(row?.made, false);
    await pg.runSql(`CREATE ROLE guest LOGIN PASSWORD '${password}'`);
    const guest = (await look("guest")).get("key-value store")!;
    assert.deepEqual([guest.state, /cannot write/.test(guest.found)], ["fail", true]);
    const refused = (await look(user, "not-this-one")).get("key-value store")!;
    assert.equal(refused.state, "fail");
    assert.match(refused.found, /password/);
    assert.doesNotMatch(refused.found, /not-this-one/);
  },
});

Deno.test("svc doctor leaves nothing in object storage, and reports refused operations", async () => {
  await using storage = await openFaultyStorage();
  const look = async () =>
    (await examine(["--blobs", storage.place], storage.env)).get("object storage")!;
  const well = await look();
  assert.equal(well.state, "ok", well.found);
  const methods = storage.requests.map((request) => request.split(" ")[0]);
  assert.deepEqual(methods, ["GET", "PUT", "GET", "DELETE"]);
  const denied = "<Error><Code>AccessDenied</Code><Message>Not you</Message></Error>";
  for (const [method, verb] of [["PUT", "store"], ["DELETE", "delete"]] as const) {
    storage.fault = (request) =>
      request.method === method ? new Response(denied, { status: 403 }) : "pass";
    const point = await look();
    assert.equal(point.state, "fail");
    assert.match(point.found, new RegExp(`Cannot ${verb} objects: 403 AccessDenied`));
  }
});
