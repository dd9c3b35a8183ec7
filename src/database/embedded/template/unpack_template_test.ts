import assert from "node:assert/strict";
import { join } from "node:path";
import { TestGateway } from "../../_test_gateway.ts";
import { databaseProcessCommand } from "../process_command.ts";
import { EmbeddedEngine } from "../embedded_engine.ts";
import { readTemplate, unpackTemplate, VERSION_FILE } from "./unpack_template.ts";

Deno.test("unpackTemplate() ignores files from other engines", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-template-" });
  const command = databaseProcessCommand({ env: Deno.env.toObject() });
  const engine = new EmbeddedEngine({ folder: join(folder, "engine"), command });
  const gateway = new TestGateway(engine);
  const client = await gateway.connect(await gateway.create());
  const { rows: [row] } = await client.query<{ version: string }>("SELECT version()");
  const version = (await engine.status()).version!;
  assert.ok(row!.version.includes(`PostgreSQL ${version}`), "the program names its own engine");
  await client.end();
  await gateway.close();

  const template = await readTemplate();
  const unpacked = join(folder, "unpacked");
  await unpackTemplate(template, { folder: unpacked, version });
  const names = [...Deno.readDirSync(unpacked)].map(({ name }) => name);
  assert.ok(names.includes("PG_VERSION") && !names.includes(VERSION_FILE));
  await assert.rejects(
    unpackTemplate(template, {
      folder: join(folder, "other"),
      version: "18.6 (PGlite 0.5.17)",
    }),
    /are from PostgreSQL 18\.6 \(PGlite 0\.5\.16\), but this program has 18\.6 \(PGlite 0\.5\.17\)/,
  );
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [
    "engine",
    "unpacked",
  ]);
  await Deno.remove(folder, { recursive: true });
});
