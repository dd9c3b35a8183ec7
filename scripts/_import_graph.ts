/**
 * The imports between our files, as Deno itself reads them: static, dynamic and type-only imports,
 * with their lines.
 *
 * @module
 */
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as z from "zod";
import { hear } from "./_process.ts";
import type { ImportEdge } from "./check_rooms.ts";

const resolved = z.object({
  specifier: z.string().optional(),
  span: z.object({ start: z.object({ line: z.number() }) }).optional(),
});

const graphSchema = z.object({
  modules: z.array(z.object({
    specifier: z.string(),
    dependencies: z.array(
      z.object({ code: resolved.optional(), type: resolved.optional() }),
    ).default([]),
  })),
});

/** Reads the import graph of `files` (relative to `root`). Package imports are not included. */
export async function readImportGraph(
  root: string,
  files: readonly string[],
): Promise<ImportEdge[]> {
  const folder = await Deno.makeTempDir({ prefix: "svc-check-" });
  try {
    const entry = join(folder, "all.ts");
    const lines = files.map((file) =>
      `import ${JSON.stringify(pathToFileURL(join(root, file)).href)};`
    );
    await Deno.writeTextFile(entry, lines.join("\n"));
    const config = join(root, "deno.json");
    const result = await hear(
      [Deno.execPath(), "info", "--json", "--config", config, "--no-lock", entry],
      { cwd: root },
    );
    if (result.code !== 0) throw new Error(`Cannot read the import graph: ${result.stderr}`);
    return toEdges(root, graphSchema.parse(JSON.parse(result.stdout)));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function toEdges(root: string, graph: z.infer<typeof graphSchema>): ImportEdge[] {
  const inside = (specifier: string | undefined): string | undefined => {
    if (specifier === undefined || !specifier.startsWith("file:")) return undefined;
    const path = relative(root, fileURLToPath(specifier));
    return path.startsWith("..") || path.startsWith("node_modules/") ? undefined : path;
  };
  const edges: ImportEdge[] = [];
  for (const module of graph.modules) {
    const from = inside(module.specifier);
    if (from === undefined) continue;
    for (const { code, type } of module.dependencies) {
      const target = code ?? type;
      const to = inside(target?.specifier);
      if (to !== undefined) edges.push({ from, to, line: (target?.span?.start.line ?? 0) + 1 });
    }
  }
  return edges;
}
