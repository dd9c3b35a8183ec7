/**
 * `deno task bench live`: how long `svc deploy` takes until a Node server is live, compared with
 * the project's own build and start. Both measurements start with a changed file and end with the
 * first response. Rounds alternate between the two.
 *
 * @module
 */
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { until } from "../../src/lib/_test_until.ts";
import { unusedPort } from "../../src/lib/unused_port.ts";
import { hear } from "../_process.ts";
import { type BenchPlace, describeProgram, withBenchPlace } from "./_bench_place.ts";
import { againstMost, formatTable, median, whole } from "./_table.ts";

const ROUNDS = 7;
const MAX_RATIO = 1.5;

/** Maximum time to wait until a server listens. */
const PATIENCE_MS = 60_000;

interface Project {
  readonly name: string;
  readonly packages: readonly string[];
  /** Packages that only the build needs. */
  readonly tools: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  /** The file that changes before each build. */
  readonly source: string;
}

const PROJECTS: readonly Project[] = [{
  name: "express",
  packages: ["express@5.3.0"],
  tools: [],
  scripts: { start: "node index.mjs" },
  files: {
    "index.mjs": `import express from "express";
const app = express();
app.get("/", (_request, response) => response.send("hello"));
app.listen(process.env.PORT);
`,
  },
  source: "index.mjs",
}, {
  name: "hono-typescript",
  packages: ["hono@4.13.19", "@hono/node-server@2.1.9"],
  tools: ["typescript@5.9.3", "@types/node@26.6.7"],
  scripts: { build: "tsc", start: "node dist/index.js" },
  files: {
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        ...{ target: "ESNext", module: "NodeNext", strict: true, skipLibCheck: true },
        ...{ outDir: "dist", rootDir: "src", types: ["node"] },
      },
      include: ["src"],
    }),
    "src/index.ts": `import { serve } from "@hono/node-server";
import { Hono } from "hono";
const app = new Hono();
app.get("/", (context) => context.text("hello"));
serve({ fetch: app.fetch, port: Number(process.env.PORT) });
`,
  },
  source: "src/index.ts",
}];

async function run(command: readonly [string, ...string[]], cwd: string): Promise<void> {
  const { code, stdout, stderr } = await hear(command, { cwd });
  if (code !== 0) throw new Error(`${command.join(" ")}: ${stdout}${stderr}`);
}

async function writeProject(folder: string, project: Project): Promise<void> {
  const { name, packages, tools, scripts, files } = project;
  const node = (await hear(["node", "--version"])).stdout.replace(/^v(\d+)[^]*/, "$1");
  const manifest = { name, private: true, type: "module", scripts, engines: { node: `>=${node}` } };
  const all = { ...files, "package.json": JSON.stringify(manifest) };
  for (const [path, text] of Object.entries(all)) {
    await Deno.mkdir(join(folder, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  }
  const install = ["npm", "install", "--no-audit", "--no-fund"] as const;
  await run([...install, ...packages], folder);
  if (tools.length > 0) await run([...install, "--save-dev", ...tools], folder);
}

/** Sends one request to a port on this machine. Returns `undefined` if nothing listens there. */
function ask(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const call = request(
      { host: "127.0.0.1", port, headers: { host }, agent: false },
      (response) => {
        void text(response).then((body) => resolve(`${response.statusCode} ${body}`));
      },
    );
    call.on("error", () => resolve(undefined));
    call.end();
  });
}

/** Waits for a server's first response. */
async function firstResponse(port: number, host = "localhost"): Promise<void> {
  const response = await until(() => ask(port, host), (each) => each !== undefined, PATIENCE_MS);
  if (response !== "200 hello") throw new Error(`${host} responded with ${response}`);
}

/** Returns the number of milliseconds that the project's own build and start take without svc. */
async function timeOwn(folder: string, { scripts }: Project): Promise<number> {
  const port = unusedPort();
  const started = performance.now();
  if (scripts.build !== undefined) await run(["npm", "run", "build"], folder);
  const child = new Deno.Command("npm", {
    args: ["start"],
    cwd: folder,
    env: { PORT: String(port), NODE_ENV: "production" },
    detached: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    await firstResponse(port);
    return performance.now() - started;
  } finally {
    Deno.kill(-child.pid, "SIGKILL");
    await child.status;
  }
}

async function timeDeploy({ platform, tool }: BenchPlace, { name }: Project): Promise<number> {
  const started = performance.now();
  await tool(["deploy", "--prod"]);
  await firstResponse(platform.port, `${name}.localhost`);
  return performance.now() - started;
}

async function measure(place: BenchPlace, project: Project): Promise<readonly string[]> {
  const { site } = place;
  await writeProject(site, project);
  await place.tool(["init", "--name", project.name, "--create"]);
  await timeDeploy(place, project);
  const own: number[] = [];
  const deploys: number[] = [];
  const change = () => Deno.writeTextFile(join(site, project.source), "// one\n", { append: true });
  for (let round = 0; round < ROUNDS; round++) {
    await change();
    own.push(await timeOwn(site, project));
    await change();
    deploys.push(await timeDeploy(place, project));
  }
  const ratio = median(deploys) / median(own);
  return [
    project.name,
    whole(median(own)),
    whole(median(deploys)),
    againstMost(ratio, MAX_RATIO),
  ];
}

/** Measures each project on a separate platform. */
export async function benchLive(): Promise<string> {
  const rows: (readonly string[])[] = [];
  for (const project of PROJECTS) {
    rows.push(await withBenchPlace((place) => measure(place, project)));
  }
  const headings = ["project", "own build and start, ms", "svc deploy to live, ms", "ratio"];
  return `${describeProgram()}\n\n${formatTable(headings, rows)}`;
}
