/** Tests the cleanup of sockets that a killed platform left outside the data directory. */
import assert from "node:assert/strict";
import { join } from "node:path";
import pg from "pg";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const socketFolders = async (folder: string): Promise<readonly string[]> =>
  (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name)
    .filter((name) => name.startsWith("svc-db-"));

async function query(box: Sandbox): Promise<void> {
  const { stdout } = await box.tool(["db", "connection", "--project-id", "shop"]);
  const client = new pg.Client({ connectionString: stdout.trim() });
  client.on("error", () => {});
  await client.connect();
  await client.query("SELECT 1");
  await client.end();
}

Deno.test("the next start removes the database sockets of a killed platform", () =>
  withSandbox(async (box) => {
    const temporary = join(box.folder, "tmp");
    await Deno.mkdir(temporary);
    box.env.TMPDIR = temporary;
    await box.start();
    await box.json(["init", "--name", "shop", "--create"]);
    await box.json(["db", "create", "--wait", "--project-id", "shop"]);
    await query(box);
    assert.equal((await socketFolders(temporary)).length, 1);
    await Deno.mkdir(join(temporary, "svc-db-0123456789abcdef-other"));
    await box.platform!.kill();
    await box.start();
    assert.deepEqual(await socketFolders(temporary), ["svc-db-0123456789abcdef-other"]);
    await query(box);
    await box.platform!.stop();
    assert.deepEqual(await socketFolders(temporary), ["svc-db-0123456789abcdef-other"]);
  }));
