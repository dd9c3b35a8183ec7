/** @module Cloudflare Workers projects: their module exports a fetch handler. */
import { hasProperty, stripComments, textProperty } from "./config_text.ts";
import { projectPlacements } from "./project_server.ts";
import type {
  Advice,
  BuiltOutput,
  Found,
  Framework,
  FrameworkFacts,
  FrameworkFinding,
  Launch,
  ProjectFacts,
  ProjectReader,
} from "./types.ts";

const CONFIGS = ["wrangler.jsonc", "wrangler.json", "wrangler.toml"] as const;

/** Worker bindings that exist only on the original platform. */
const BINDINGS = [
  "kv_namespaces",
  "d1_databases",
  "r2_buckets",
  "durable_objects",
  "queues",
  "hyperdrive",
  "vectorize",
  "services",
  "browser",
  "analytics_engine_datasets",
  "send_email",
] as const;

interface WorkerConfig {
  readonly path: string;
  readonly main: string;
  /** Folder of files that are served unchanged. */
  readonly assets: string | undefined;
  readonly bindings: readonly string[];
}

/** Returns the string that a key is set to, in TOML or JSON. */
function setText(text: string, key: string): string | undefined {
  return textProperty(text, key) ??
    new RegExp(`(?:^|[\\s{,])${key}\\s*=\\s*["']([^"'\\n]{1,256})["']`, "m").exec(text)?.[1];
}

const isSet = (text: string, key: string) =>
  hasProperty(text, key) || new RegExp(`^\\s*(?:\\[+\\s*)?${key}\\b`, "m").test(text);

async function readConfig(project: ProjectReader): Promise<WorkerConfig | undefined> {
  for (const path of CONFIGS) {
    const written = await project.readText(path);
    if (written === undefined) continue;
    const text = path.endsWith(".toml")
      ? written.replace(/^\s*#.*$/gm, "")
      : stripComments(written);
    const main = setText(text, "main")?.replace(/^(?:\.\/)+/, "");
    if (main === undefined) return undefined;
    const assets = /\bassets\b/.test(text) ? setText(text, "directory") : undefined;
    return {
      path,
      main,
      assets: assets?.replace(/^(?:\.\/)+|\/+$/g, ""),
      bindings: BINDINGS.filter((name) => isSet(text, name)),
    };
  }
  return undefined;
}

/**
 * Projects with the Vite plugin for Workers do not count, because the plugin creates its own kind
 * of output.
 */
const applies = async ({ reader, dependencies }: ProjectFacts) =>
  !dependencies.has("vite") && await readConfig(reader) !== undefined;

/** Passes variables and a context to a handler, as the original platform does. */
const WORKER: Launch = {
  wrapper: (file) =>
    `import * as entry from ${JSON.stringify(`./${file}`)};
const context = { waitUntil: (work) => void Promise.resolve(work).catch(console.error), passThroughOnException() {} };
const env = { ...process.env };
export default { fetch: (request) => entry.default.fetch(request, env, context) };
`,
};

function adviceOf({ path, bindings }: WorkerConfig): Advice | undefined {
  if (bindings.length === 0) return undefined;
  return {
    message: `Replace features that only Cloudflare has: ${path} sets ${bindings.join(", ")}`,
    hint: "Store data in a networked database, and remove these keys",
  };
}

async function inspect({ reader }: FrameworkFacts): Promise<FrameworkFinding> {
  const config = await readConfig(reader);
  if (config === undefined) return {};
  const advice = adviceOf(config);
  const { main, assets } = config;
  return {
    server: `${config.path} names ${main}`,
    layout: { entry: main, ...(assets === undefined ? {} : { files: assets }) },
    ...(advice === undefined ? {} : { advice }),
  };
}

async function find({ project }: BuiltOutput): Promise<Found> {
  const config = await readConfig(project);
  if (config === undefined) return { type: "static", directory: "." };
  const advice = adviceOf(config);
  if (advice !== undefined) return { type: "unusable", ...advice };
  const { main, assets } = config;
  return {
    type: "server",
    launch: WORKER,
    directory: ".",
    entry: main,
    clients: assets === undefined ? [] : [assets],
    placements: projectPlacements(main),
  };
}

export const workers: Framework = {
  id: "workers",
  name: "Cloudflare Workers",
  packages: ["wrangler"],
  configFiles: CONFIGS,
  configIdentifies: true,
  applies,
  build: undefined,
  dev: "wrangler dev",
  outputDirs: ["."],
  server: { find },
  inspect,
};
