/**
 * Runs the frameworks in the specification under `svc dev`, each in its own folder.
 *
 * @module
 */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { hear } from "../../scripts/_process.ts";
import { ROOT } from "../../scripts/_source_files.ts";
import { type Served, startServing } from "./dev_program.ts";
import { nodeVariables } from "./node_program.ts";

export type FrameworkName = "astro" | "nuxt" | "sveltekit" | "nitro";

interface DevFramework {
  readonly dev: Served;
  readonly folder: string;
}

/** Returns rules that redirect `/harbour`. */
export const harbourRules = (target: string): string =>
  `schemaVersion = "EDGE_RULE_SET_V1"
[[rules]]
id = "harbour"
condition = { path = { type = "exact", value = "/harbour" } }
action = { type = "redirect", target = "${target}", statusCode = 301 }
`;

/** Installs a framework, runs it under `svc dev`, and stops it afterwards. */
export async function withFramework(
  name: FrameworkName,
  test: (parts: DevFramework) => Promise<void>,
  argv: readonly string[] = [],
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: `svc-dev-${name}-` });
  try {
    await cp(join(ROOT, "fixtures", "frameworks", name), folder, { recursive: true });
    await Deno.writeTextFile(join(folder, "svc.rules.toml"), harbourRules("/one"));
    const env = await nodeVariables(Deno.env.get("PATH") ?? "");
    const installed = await hear(["npm", "install", "--loglevel", "error"], { cwd: folder, env });
    assert.equal(installed.code, 0, installed.stderr);
    const dev = await startServing(["dev", "--port", "0", ...argv], { cwd: folder, env });
    try {
      await test({ dev, folder });
    } finally {
      assert.equal(await dev.end(), 0, dev.lines.join("\n"));
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
