import assert from "node:assert/strict";
import { parseProjectConfig } from "../config/project_config.ts";
import { detectProject, type Engine } from "../manifest/mod.ts";
import { withTestProject } from "./_test_project.ts";
import { createFolderReader } from "./folder_reader.ts";
import { foretellEngine } from "./foretell_engine.ts";
import { assembleProject } from "./pack_project.ts";

type Texts = Readonly<Record<string, string>>;

const pack = (dependencies: Texts, scripts: Texts) =>
  JSON.stringify({ type: "module", private: true, dependencies, scripts });

const SERVER = 'import { createServer } from "node:http";\ncreateServer().listen(80);\n';

interface Row {
  readonly name: string;
  readonly files: Texts;
  readonly toml?: string;
  readonly engine: Engine | undefined;
  readonly reason?: RegExp;
}

const ROWS: readonly Row[] = [
  {
    name: "a Node server",
    files: { "package.json": pack({}, { start: "node server.js" }), "server.js": SERVER },
    engine: "node",
    reason: /package\.json/,
  },
  {
    name: "a server that svc.toml runs on Deno",
    files: { "package.json": pack({}, { start: "node server.js" }), "server.js": SERVER },
    toml: '[build]\nruntime = "deno"\n',
    engine: "deno",
    reason: /svc\.toml/,
  },
  {
    name: "a server for Deno",
    files: { "main.ts": "Deno.serve(() => new Response());" },
    engine: "deno",
    reason: /uses Deno APIs/,
  },
  {
    name: "a package.json script that starts Deno",
    files: {
      "package.json": pack({}, { start: "deno run -A server.js" }),
      "server.js": SERVER,
    },
    engine: "deno",
    reason: /uses Deno APIs/,
  },
  { name: "a project without a server", files: { "index.html": "" }, engine: undefined },
];

for (const { name, files, toml = "", engine, reason } of ROWS) {
  Deno.test(`foretellEngine() predicts ${engine ?? "nothing"} for ${name}`, async () => {
    await withTestProject(files, async ({ host, project }) => {
      const { config } = parseProjectConfig(toml);
      const detected = await detectProject(createFolderReader(project));
      const told = await foretellEngine({ directory: project, config, detected });
      assert.equal(told?.engine, engine);
      if (engine === undefined) return;
      assert.match(told!.reason, reason!);
      const { servers } = await assembleProject(host, { directory: project, config });
      assert.deepEqual(servers.map((server) => [server.engine, server.reason]), [
        [engine, told!.reason],
      ]);
    });
  });
}
