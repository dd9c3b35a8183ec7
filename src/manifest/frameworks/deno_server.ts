/**
 * @module Deno projects without a framework: a module that calls `Deno.serve()` or is run by `deno
 * serve`.
 */
import * as z from "zod";
import { stripComments } from "./config_text.ts";
import { projectPlacements, readPackage } from "./project_server.ts";
import { denoSign, type ServerCode, serverCode } from "./server_code.ts";
import { parseStart } from "./start_script.ts";
import type {
  BuiltOutput,
  Found,
  Framework,
  FrameworkFacts,
  FrameworkFinding,
  ProjectFacts,
  ProjectReader,
} from "./types.ts";

const CONFIGS = ["deno.json", "deno.jsonc"] as const;

const configSchema = z.object({
  tasks: z.record(z.string(), z.unknown()).catch({}),
  imports: z.record(z.string(), z.unknown()).catch({}),
  compilerOptions: z.object({ jsxImportSource: z.string().optional() }).catch({}),
});

const taskSchema = z.union([
  z.string(),
  z.object({ command: z.string() }).transform((task) => task.command),
]);

interface DenoConfig {
  readonly tasks: ReadonlyMap<string, string>;
  /** The import map for bare specifiers. */
  readonly imports: Readonly<Record<string, string>>;
  readonly jsxImportSource?: string;
}

const TRAILING_COMMA = /,(?=\s*[}\]])/g;

async function readConfig(project: ProjectReader): Promise<DenoConfig | undefined> {
  for (const path of CONFIGS) {
    const text = await project.readText(path);
    if (text === undefined) continue;
    const data = parseConfig(text);
    const tasks = Object.entries(data?.tasks ?? {}).flatMap(([name, task]): [string, string][] => {
      const command = taskSchema.safeParse(task).data;
      return command === undefined ? [] : [[name, command]];
    });
    const imports = Object.entries(data?.imports ?? {})
      .filter((entry): entry is [string, string] => typeof entry[1] === "string");
    const jsxImportSource = data?.compilerOptions.jsxImportSource;
    return {
      tasks: new Map(tasks),
      imports: Object.fromEntries(imports),
      ...(jsxImportSource === undefined ? {} : { jsxImportSource }),
    };
  }
  return undefined;
}

function parseConfig(text: string): z.infer<typeof configSchema> | undefined {
  try {
    const json = stripComments(text.replace(/^\ufeff/, "")).replace(TRAILING_COMMA, "");
    return configSchema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

/** Common server entries, for projects without a task that specifies one. */
const USUAL_ENTRIES: readonly string[] = ["", "src/"].flatMap((folder) =>
  ["main", "server", "mod", "index", "app"].flatMap((name) =>
    ["ts", "tsx", "js", "mjs"].map((type) => `${folder}${name}.${type}`)
  )
);

/** Tasks and scripts that start a server. */
const STARTS = ["start", "serve", "main"] as const;

interface DenoServer {
  readonly entry: string;
  readonly reason: string;
  readonly config: DenoConfig;
  readonly text: string;
  readonly code: ServerCode | undefined;
}

async function findServer(project: ProjectReader): Promise<DenoServer | undefined> {
  const written = await readConfig(project);
  const config = written ?? { tasks: new Map(), imports: {} };
  const scripts = (await readPackage(project))?.scripts ?? new Map<string, string>();
  const task = parseStart(config.tasks, STARTS);
  const start = task ?? parseStart(scripts, STARTS);
  if (start?.program === "deno") {
    const text = await project.readText(start.file);
    if (text !== undefined) {
      const kind = task === undefined ? "script" : "task";
      const reason = `${kind} "${start.script}" runs ${start.file}`;
      return { entry: start.file, reason, config, text, code: serverCode(text) };
    }
  }
  for (const entry of USUAL_ENTRIES) {
    const text = await project.readText(entry);
    const code = text === undefined ? undefined : serverCode(text);
    if (text === undefined || code === undefined) continue;
    // Without a Deno config, a project counts as a Deno project only if its code uses features that
    // Node does not have.
    if (written === undefined && denoSign(text) === undefined) continue;
    return { entry, reason: `${entry} ${code.seen}`, config, text, code };
  }
  return undefined;
}

const applies = async ({ reader }: ProjectFacts) => await findServer(reader) !== undefined;

const NPM = /(?:^|["'`])npm:/;

function inspectServer(server: DenoServer): FrameworkFinding {
  const { entry, reason, config, text } = server;
  const needsPackages = [text, ...Object.values(config.imports)].some((part) => NPM.test(part));
  return {
    server: reason,
    layout: { entry, forDeno: true },
    ...(needsPackages
      ? { install: `deno install --node-modules-dir=auto --entrypoint ${entry}` }
      : {}),
  };
}

async function inspect({ reader }: FrameworkFacts): Promise<FrameworkFinding> {
  const server = await findServer(reader);
  return server === undefined ? {} : inspectServer(server);
}

async function find({ project }: BuiltOutput): Promise<Found> {
  const server = await findServer(project);
  if (server === undefined) return { type: "static", directory: "." };
  const { entry, config: { imports, jsxImportSource } } = server;
  return {
    type: "server",
    launch: {
      forDeno: true,
      imports,
      jsxImportSource,
    },
    directory: ".",
    entry,
    clients: [],
    placements: projectPlacements(entry),
  };
}

export const denoServer: Framework = {
  id: "deno",
  name: "Deno",
  packages: [],
  configFiles: CONFIGS,
  applies,
  build: undefined,
  dev: undefined,
  outputDirs: ["."],
  server: { find },
  inspect,
};
