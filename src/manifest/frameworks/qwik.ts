/** @module Qwik City: files in `dist/`, and a server in `server/` if there is an adapter. */
import { readPackage } from "./project_server.ts";
import type {
  Advice,
  BuiltOutput,
  Found,
  Framework,
  FrameworkFacts,
  FrameworkFinding,
  ProjectReader,
} from "./types.ts";

const FILES = "dist";

/** Entries built by the adapters for Node and Deno, most common first. */
const ENTRIES = ["express", "fastify", "node-server", "deno"].flatMap((adapter) =>
  ["js", "mjs"].map((type) => `server/entry.${adapter}.${type}`)
);

/** `qwik add` adds this script for every adapter. */
const SERVER_SCRIPT = "build.server";

function adviceOf(run: FrameworkFacts["run"]): Advice {
  return {
    message: "Add an adapter to Qwik: without one, its build creates only files for the browser",
    hint: `Run "${run("qwik add express")}" for a server, or "${run("qwik add static")}" for ` +
      "static files, then deploy again",
  };
}

async function inspect({ reader, run }: FrameworkFacts): Promise<FrameworkFinding> {
  const script = (await readPackage(reader))?.scripts.get(SERVER_SCRIPT);
  if (script === undefined) {
    return { advice: adviceOf(run), server: "Qwik City renders on a server" };
  }
  if (/adapters\/(?:static|ssg)\b/.test(script)) return {};
  return { server: `script "${SERVER_SCRIPT}" builds one` };
}

async function firstEntry(project: ProjectReader): Promise<string | undefined> {
  for (const path of ENTRIES) if (await project.exists(path)) return path;
  return undefined;
}

async function find(
  { paths, project }: BuiltOutput,
  advice: Advice | undefined,
): Promise<Found> {
  const entry = await firstEntry(project);
  if (entry !== undefined) {
    return {
      type: "server",
      launch: {},
      directory: "server",
      entry,
      clients: [FILES],
      placements: [{ from: FILES, to: FILES }, { from: "server", to: "server" }],
    };
  }
  if (paths.includes("index.html")) return { type: "static", directory: "." };
  if (advice !== undefined) return { type: "unusable", ...advice };
  return {
    type: "unusable",
    message: `The Qwik server has not been built: found no ${ENTRIES[0]} or similar file`,
    hint: `Run the script "${SERVER_SCRIPT}", or the whole build`,
  };
}

export const qwik: Framework = {
  id: "qwik",
  name: "Qwik City",
  packages: ["@builder.io/qwik-city", "@qwik.dev/router"],
  configFiles: ["vite.config.ts", "vite.config.js", "vite.config.mts", "vite.config.mjs"],
  build: "qwik build",
  dev: "vite --mode ssr",
  outputDirs: [FILES],
  server: { find, layout: { entry: "../server/entry.express.js", files: "." } },
  inspect,
};
