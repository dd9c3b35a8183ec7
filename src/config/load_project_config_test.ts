import assert from "node:assert/strict";
import { join } from "node:path";
import { loadProjectConfig } from "./load_project_config.ts";
import { PROJECT_CONFIG_LIMITS } from "./project_config.ts";
import { inTestFolder } from "../lib/_test_folder.ts";

async function withFile(
  content: string | Uint8Array<ArrayBuffer> | undefined,
  run: (directory: string) => Promise<void>,
): Promise<void> {
  await inTestFolder(async (directory) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    if (bytes !== undefined) await Deno.writeFile(join(directory, "svc.toml"), bytes);
    await run(directory);
  });
}

Deno.test("loadProjectConfig() returns the config, its path and its text", () =>
  withFile("[dev]\nport = 3000\n", async (directory) => {
    const loaded = await loadProjectConfig(directory);
    assert.ok(loaded.status === "found");
    assert.equal(loaded.path, join(directory, "svc.toml"));
    assert.equal(loaded.source, "[dev]\nport = 3000\n");
    assert.equal(loaded.config.dev.port, 3000);
  }));

Deno.test("loadProjectConfig() reports a missing svc.toml", () =>
  withFile(undefined, async (directory) => {
    const path = join(directory, "svc.toml");
    assert.deepEqual(await loadProjectConfig(directory), { status: "missing", path });
  }));

const UNUSABLE = [
  { name: "bad values", content: "[dev]\nport = 0\n", code: "invalid_value" },
  { name: "bad syntax", content: "[dev\n", code: "toml_syntax" },
  { name: "bytes that are not UTF-8", content: new Uint8Array([0x23, 0xff]), code: "not_utf8" },
  {
    name: "a file that is too large",
    content: "#".repeat(PROJECT_CONFIG_LIMITS.maxBytes + 1),
    code: "toml_size",
  },
] as const;

for (const { name, content, code } of UNUSABLE) {
  Deno.test(`loadProjectConfig() refuses ${name}`, () =>
    withFile(content, async (directory) => {
      const loaded = await loadProjectConfig(directory);
      assert.ok(loaded.status === "invalid");
      assert.deepEqual(loaded.diagnostics.map((diagnostic) => diagnostic.code), [code]);
    }));
}

Deno.test("loadProjectConfig() refuses a directory with the file's name", () =>
  withFile(undefined, async (directory) => {
    await Deno.mkdir(join(directory, "svc.toml"));
    const loaded = await loadProjectConfig(directory);
    assert.ok(loaded.status === "invalid");
    assert.equal(loaded.diagnostics[0]?.code, "not_a_file");
  }));

Deno.test("loadProjectConfig() refuses a link to itself", () =>
  withFile(undefined, async (directory) => {
    await Deno.symlink("svc.toml", join(directory, "svc.toml"));
    const loaded = await loadProjectConfig(directory);
    assert.ok(loaded.status === "invalid");
    assert.equal(loaded.diagnostics[0]?.code, "unreadable");
  }));
