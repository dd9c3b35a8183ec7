/**
 * `deno task check`: format, lint, types, and the repository's own checks. All steps always run, so
 * that one call reports every problem.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a script for people, not the CLI
import { existsSync } from "node:fs";
import { join } from "node:path";
import pMap from "p-map";
import { readImportGraph } from "./_import_graph.ts";
import { hear } from "./_process.ts";
import { DOORWAYS, ROOMS } from "./_rooms.ts";
import { STOREYS } from "./_storeys.ts";
import { isOurSource, listFiles, ROOT } from "./_source_files.ts";
import { findDocProblems } from "./check_docs.ts";
import { findUnusedExports } from "./check_exports.ts";
import { findRegistryHosts } from "./check_hosts.ts";
import { lintOpenApi } from "./check_openapi.ts";
import { findLongFiles, type TextFile } from "./check_lengths.ts";
import { findProgramStarts } from "./check_programs.ts";
import { findTextReads } from "./check_text_reads.ts";
import { findUnlistedVariables } from "./check_variables.ts";
import { findWords } from "./check_words.ts";
import { findCircles, findRoomViolations } from "./check_rooms.ts";
import { findStoreyViolations } from "./check_storeys.ts";

interface Step {
  readonly name: string;
  /** Returns the problems, or an empty list if there are none. */
  readonly run: () => Promise<readonly string[]>;
}

/** Files that may contain anything: pictures, databases, packed text. */
const BINARY = /\.(?:png|jpe?g|webp|avif|ico|woff2?|br|gz|zst|mmdb|wasm)$/;

const deno = (...args: string[]) => async (): Promise<readonly string[]> => {
  const result = await hear([Deno.execPath(), ...args], { cwd: ROOT, env: { NO_COLOR: "1" } });
  return result.code === 0 ? [] : [(result.stderr + result.stdout).trim()];
};

const read = (path: string): TextFile => ({
  path,
  text: Deno.readTextFileSync(join(ROOT, path)),
});

const files = listFiles(ROOT);
const sources = files.filter(isOurSource);

const STEPS: readonly Step[] = [
  {
    name: "types, with a frozen lock",
    // Without `auto`, Deno does not find the types of some packages.
    run: deno("check", "--quiet", "--frozen", "--node-modules-dir=auto", ...sources),
  },
  { name: "floating promises", run: deno("run", "-A", "--frozen", "scripts/check_promises.ts") },
  { name: "format", run: deno("fmt", "--check") },
  { name: "lint", run: deno("lint") },
  {
    name: "rooms, storeys and import cycles",
    run: async () => {
      const edges = await readImportGraph(ROOT, sources);
      const faces = new Set(sources.filter((path) => path.endsWith("/mod.ts")));
      return [
        ...findRoomViolations(edges, { rooms: ROOMS, doorways: DOORWAYS, faces }),
        ...findStoreyViolations(edges, { storeys: STOREYS }),
        ...findCircles(edges),
      ];
    },
  },
  { name: "file lengths", run: () => Promise.resolve(findLongFiles(sources.map(read))) },
  { name: "exports", run: () => Promise.resolve(findUnusedExports(sources.map(read))) },
  {
    name: "programs are started in one place",
    run: () => Promise.resolve(findProgramStarts(sources.map(read))),
  },
  {
    name: "words",
    run: () => {
      const documents = files.filter((path) =>
        /^(?:docs|src)\/.*\.md$|^(?:README|CONTRIBUTING)\.md$/.test(path)
      );
      return Promise.resolve(findWords([...sources, ...documents].map(read)));
    },
  },
  { name: "OpenAPI document", run: lintOpenApi },
  {
    name: "text files are read in one place",
    run: () => Promise.resolve(findTextReads(sources.map(read))),
  },
  {
    name: "documents",
    run: () => {
      const documents = files.filter((path) => /^(?:docs|src)\/.*\.md$|^[A-Z]+\.md$/.test(path));
      return Promise.resolve(
        findDocProblems(documents.map(read), {
          exists: (path) => existsSync(join(ROOT, path)),
          source: (path) => existsSync(join(ROOT, path)) ? read(path).text : undefined,
        }),
      );
    },
  },
  {
    name: "test variables",
    run: () =>
      Promise.resolve(findUnlistedVariables(sources.map(read), read("CONTRIBUTING.md").text)),
  },
  {
    name: "registry hosts",
    run: () =>
      Promise.resolve(findRegistryHosts(files.filter((path) => !BINARY.test(path)).map(read))),
  },
];

/** Runs a step, and returns its output and whether it succeeded. */
async function report({ name, run }: Step) {
  const started = performance.now();
  const problems = await run();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const head = `${problems.length === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)`;
  const lines = [head, ...problems.map((problem) => problem.replace(/^/gm, "  "))];
  console.log(lines.join("\n"));
  return problems.length === 0;
}

// The longest step uses one core; the others share the rest.
const passed = await pMap(STEPS, report, { concurrency: 2 });
Deno.exit(passed.includes(false) ? 1 : 0);
