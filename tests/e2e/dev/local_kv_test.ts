/** Shares the local store between this runtime and the runtime of the program under test. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { cleanEnvironment, programCommand } from "../../../scripts/_program.ts";
import { openLocalKv } from "../../../src/kv/mod.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

async function runKv(folder: string, ...argv: readonly string[]): Promise<string> {
  const [program, ...args] = programCommand();
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...args, "kv", ...argv],
    cwd: folder,
    env: cleanEnvironment(folder),
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

Deno.test("svc's kv and another runtime read each other's values", async () => {
  await inTestFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "svc.toml"), "");
    const bytes = new TextEncoder().encode("Kestrel");
    {
      using local = await openLocalKv(join(folder, ".svc", "data"));
      const value = { bytes, contentType: "text/plain", ttlSeconds: 3600 };
      await local.store.set(local.namespace, "here", value);
    }
    assert.equal((await runKv(folder, "get", "here")).trim(), "Kestrel");
    await runKv(folder, "set", "there", "Heron", "--ttl", "3600");
    using local = await openLocalKv(join(folder, ".svc", "data"));
    const there = await local.store.get(local.namespace, "there");
    assert.equal(new TextDecoder().decode(there?.bytes), "Heron");
  });
});
