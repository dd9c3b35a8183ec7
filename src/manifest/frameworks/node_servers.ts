/**
 * @module Servers that a project starts itself, such as those built with Express, Fastify, Koa,
 * NestJS or Hono, and any other server that uses `node:http`. The whole project is deployed,
 * because the server needs it at run time.
 */
import {
  findProjectServer,
  projectPlacements,
  type ProjectServer,
  readPackage,
} from "./project_server.ts";
import { denoSign } from "./server_code.ts";
import type {
  BuiltOutput,
  Found,
  Framework,
  FrameworkFinding,
  Launch,
  ProjectFacts,
  ProjectReader,
} from "./types.ts";

interface NodeServer {
  readonly id: string;
  readonly name: string;
  readonly packages: readonly string[];
}

/**
 * In detection order. NestJS comes first because its projects also depend on Express or Fastify.
 */
const SERVERS: readonly NodeServer[] = [
  { id: "nest", name: "NestJS", packages: ["@nestjs/core"] },
  { id: "elysia", name: "Elysia", packages: ["elysia"] },
  { id: "fastify", name: "Fastify", packages: ["fastify"] },
  { id: "express", name: "Express", packages: ["express"] },
  { id: "koa", name: "Koa", packages: ["koa"] },
  { id: "hono", name: "Hono", packages: ["hono"] },
  { id: "node", name: "Node.js", packages: [] },
];

/**
 * Programs that build a site. A project that uses one can still have a start script that starts a
 * server.
 */
const BUNDLERS = ["vite", "react-scripts", "@vue/cli-service", "@rsbuild/core", "parcel"] as const;

/** Elysia listens with Bun, unless its adapter for Node is used. */
const ELYSIA_ON_NODE = "@elysiajs/node";

/**
 * Returns whether Deno runs the server, according to the start script or, if there is none, the
 * entry.
 */
async function isForDeno(reader: ProjectReader, { entry, start }: ProjectServer): Promise<boolean> {
  if (start !== undefined) return start.program === "deno";
  return denoSign(await reader.readText(entry) ?? "") !== undefined;
}

/** Folder whose files other platforms serve in addition to an exported app. */
const PUBLIC = "public";

async function serverOf(
  { reader, dependencies }: ProjectFacts,
  packages: readonly string[],
): Promise<ProjectServer | undefined> {
  const server = await findProjectServer(reader, packages);
  if (server === undefined || await isForDeno(reader, server)) return undefined;
  // If the start script does not start a server, the project is treated as the static site that
  // the bundler builds.
  const isStarted = server.start !== undefined || server.script !== undefined;
  return !isStarted && BUNDLERS.some((name) => dependencies.has(name)) ? undefined : server;
}

const bunAdvice = (entry: string, seen: string) => ({
  message: `Use a server API of Deno or Node: ${entry} ${seen}, which needs Bun`,
  hint: "Export the app (export default app), or listen with Deno.serve() or node:http",
});

/** Returns advice if a server needs Bun. */
function bunOnly({ dependencies }: ProjectFacts, { entry, code }: ProjectServer) {
  if (dependencies.has("elysia") && !dependencies.has(ELYSIA_ON_NODE)) {
    return {
      message: `Add the Node adapter to Elysia: without it, ${entry} runs only on Bun`,
      hint: `Run "npm install ${ELYSIA_ON_NODE}" and write new Elysia({ adapter: node() })`,
    };
  }
  return code?.serving === "bun" ? bunAdvice(entry, code.seen) : undefined;
}

/** Runs a plugin as `fastify start app.js` would. */
const FASTIFY_PLUGIN: Launch = {
  wrapper: (file) =>
    `import fastify from "fastify";
import * as entry from ${JSON.stringify(`./${file}`)};
const plugin = typeof entry.default === "function" ? entry.default : entry.default.default;
const options = entry.options ?? entry.default.options ?? {};
const app = fastify({ logger: true, ...options });
await app.register(plugin, options);
await app.listen({ port: Number(process.env.PORT), host: process.env.HOST });
`,
};

function inspectWith(packages: readonly string[]) {
  return async (facts: ProjectFacts): Promise<FrameworkFinding> => {
    const server = await serverOf(facts, packages);
    if (server === undefined) return {};
    const advice = bunOnly(facts, server);
    return {
      server: server.reason,
      outputDirs: ["."],
      layout: { entry: server.entry },
      ...(advice === undefined ? {} : { advice }),
    };
  };
}

function findWith(packages: readonly string[]) {
  return async ({ project }: BuiltOutput): Promise<Found> => {
    const named = await readPackage(project);
    const facts = { reader: project, dependencies: named?.dependencies ?? new Set<string>() };
    const server = await serverOf(facts, packages);
    if (server === undefined) return { type: "static", directory: "." };
    const advice = bunOnly(facts, server);
    if (advice !== undefined) return { type: "unusable", ...advice };
    const { entry, start, script } = server;
    if (await project.readText(entry) === undefined) return missingEntry(server);
    return {
      type: "server",
      launch: start?.program === "fastify" ? FASTIFY_PLUGIN : {},
      ...(script === undefined ? {} : { script }),
      directory: ".",
      entry,
      clients: isExported(server) ? [PUBLIC] : [],
      placements: projectPlacements(entry),
      alsoImports: named?.runtimePackages ?? [],
    };
  };
}

/**
 * Returns whether other platforms would start the server themselves, and serve files from `public/`
 * before requests reach it.
 */
const isExported = ({ start, code }: ProjectServer): boolean =>
  start === undefined && (code?.serving === "app" || code?.serving === "exports");

function missingEntry({ entry, start }: ProjectServer): Found {
  return {
    type: "unusable",
    message: `Cannot find ${entry}, which script "${start?.script ?? "start"}" runs`,
    hint: 'Run the build, or set "build.command" in svc.toml to the command that creates it',
  };
}

/** A framework for each kind of server. */
export const NODE_SERVERS: readonly Framework[] = SERVERS.map(({ id, name, packages }) => ({
  id,
  name,
  packages,
  configFiles: [],
  // The scripts are in package.json, so there is no framework program to call.
  build: undefined,
  dev: undefined,
  outputDirs: ["."],
  applies: async (facts) => await serverOf(facts, packages) !== undefined,
  server: { find: findWith(packages) },
  inspect: inspectWith(packages),
}));
