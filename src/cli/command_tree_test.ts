import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import * as z from "zod";

const graphSchema = z.object({
  modules: z.array(z.object({
    specifier: z.string(),
    dependencies: z.array(z.object({
      isDynamic: z.boolean().default(false),
      code: z.object({ specifier: z.string().optional() }).optional(),
    })).default([]),
  })),
});

const SRC = new URL("../", import.meta.url).href;

/**
 * Lists, for each file below `src/`, the modules that it loads immediately and those that it loads
 * on demand. Type imports are left out.
 */
async function readImports() {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", fileURLToPath(new URL("command_tree.ts", import.meta.url))],
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    stderr: "inherit",
  }).output();
  const { modules } = graphSchema.parse(JSON.parse(new TextDecoder().decode(stdout)));
  const imports = new Map<string, { readonly atOnce: string[]; readonly onDemand: string[] }>();
  for (const { specifier, dependencies } of modules) {
    const [atOnce, onDemand]: [string[], string[]] = [[], []];
    for (const { isDynamic, code } of dependencies) {
      if (!code?.specifier?.startsWith(SRC)) continue;
      (isDynamic ? onDemand : atOnce).push(code.specifier.slice(SRC.length));
    }
    imports.set(specifier.slice(SRC.length), { atOnce, onDemand });
  }
  return imports;
}

Deno.test("help for project and deployment commands loads no code for builds or servers", async () => {
  const imports = await readImports();
  const commands = [...imports].flatMap(([file, { onDemand }]) =>
    /^cli\/(?:deploy|projects)\/group\.ts$/.test(file) ? onDemand : []
  );
  assert.ok(commands.includes("cli/deploy/deploy.ts"));
  for (const command of commands) {
    const loaded = new Set([command]);
    for (const file of loaded) {
      for (const next of imports.get(file)?.atOnce ?? []) loaded.add(next);
    }
    const heavy = [...loaded].filter((file) => /^(?:build|runtime|platform|serve)\//.test(file));
    assert.deepEqual(heavy, [], `${command} loads these`);
  }
});
