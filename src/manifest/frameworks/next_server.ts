/** @module Finds the output of `next build`: a standalone server, or exported files. */
import * as z from "zod";
import { PAGE_ID } from "../limits.ts";
import { imageSettingsOfNext } from "../next_image_settings.ts";
import { nextLauncher } from "./next_launcher.ts";
import { type NextRules, nextRules } from "./next_rules.ts";
import type { BuiltOutput, Found, Placement } from "./types.ts";

/** A file with the Next.js config in the server's build folder. */
const FACTS_FILE = "required-server-files.json";

const factsSchema = z.object({
  config: z.object({
    distDir: z.string(),
    basePath: z.string().default(""),
    assetPrefix: z.string().default(""),
    i18n: z.object({}).nullish(),
    images: z.unknown().optional(),
    deploymentId: z.string().regex(PAGE_ID).optional().catch(undefined),
  }),
});

type Facts = z.output<typeof factsSchema>["config"];

/** Memory for a server, in MiB. Next.js itself needs 150 MiB, and also keeps pages in memory. */
const MEMORY_MB = 512;

/** Folders in the deployment. */
const SERVER = "server";
const CLIENT = "client";

interface Standalone {
  readonly facts: Facts;
  /** The standalone folder, and the build folder that contains it, relative to the project. */
  readonly folder: string;
  readonly build: string;
  /**
   * The app's folder in the standalone folder, with a trailing slash; empty unless the app is in a
   * workspace.
   */
  readonly app: string;
  /** Reads a file in the server's build folder. */
  read(path: string): Promise<unknown>;
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const join = (...parts: readonly string[]): string =>
  parts.filter((part) => part !== "" && part !== ".").join("/");

/** Converts `/docs/` and `docs` to `docs`. */
const trimmed = (path: string): string => path.replace(/^(?:\.?\/)+|\/+$/g, "");

async function readStandalone(output: BuiltOutput): Promise<Standalone | undefined> {
  const places = output.paths.filter((path) => path.endsWith(`/${FACTS_FILE}`))
    .sort((left, right) => left.length - right.length);
  for (const path of places) {
    const place = /^(?:(.*)\/)?standalone\/(.*\/)required-server-files\.json$/
      .exec(join(output.directory, path));
    const facts = factsSchema.safeParse(parseJson(await output.readText(path))).data?.config;
    if (place === null || facts === undefined) continue;
    const [, build = "", inside = ""] = place;
    const distDir = trimmed(facts.distDir);
    if (!inside.endsWith(`${distDir}/`)) continue;
    return {
      facts: { ...facts, distDir },
      folder: join(build, "standalone"),
      build,
      app: inside.slice(0, -distDir.length - 1),
      read: async (file) => parseJson(await output.readText(path.replace(FACTS_FILE, file))),
    };
  }
  return undefined;
}

async function readRules({ facts, read }: Standalone): Promise<NextRules> {
  const [routes, middleware, functions] = await Promise.all([
    read("routes-manifest.json"),
    read("server/middleware-manifest.json"),
    read("server/functions-config-manifest.json"),
  ]);
  const { i18n, basePath } = facts;
  return nextRules({ routes, middleware, functions }, {
    hasLocales: i18n !== null && i18n !== undefined,
    basePath,
  });
}

/** Returns the paths at which clients request the files in `.next/static`. */
function assetPaths({ basePath, assetPrefix }: Facts): readonly string[] {
  const prefixes = [basePath, ...assetPrefix.startsWith("/") ? [assetPrefix] : []];
  return [...new Set(prefixes.map((prefix) => join(trimmed(prefix), "_next/static")))];
}

function placementsOf({ facts, folder, build, app }: Standalone): readonly Placement[] {
  const { basePath, distDir } = facts;
  const assets = join(build, "static");
  return [
    { from: folder, to: SERVER },
    // The server also needs these files: for images, and because rules may take precedence over
    // files.
    { from: assets, to: join(SERVER, app + distDir, "static") },
    { from: "public", to: join(SERVER, `${app}public`), optional: true },
    { from: "public", to: join(CLIENT, trimmed(basePath)), optional: true },
    ...assetPaths(facts).map((path) => ({ from: assets, to: join(CLIENT, path) })),
  ];
}

/** Converts the project's image settings. Next.js handles images that the edge cannot convert. */
function imagesOf({ images, basePath }: Facts) {
  const { images: settings, dropped } = imageSettingsOfNext(images, basePath);
  return settings === undefined || dropped.length > 0 ? {} : { images: settings };
}

async function standaloneServer(standalone: Standalone): Promise<Found> {
  const { facts, app } = standalone;
  const { personal, beforeFiles } = await readRules(standalone);
  return {
    type: "server",
    placements: placementsOf(standalone),
    launch: {
      wrapper: () => nextLauncher({ distDir: facts.distDir, personal }),
    },
    directory: SERVER,
    entry: join(SERVER, `${app}server.js`),
    clients: [CLIENT],
    hashedFolders: assetPaths(facts).map((path) => `/${path}/`),
    beforeFiles,
    memoryMb: MEMORY_MB,
    ...imagesOf(facts),
    ...(facts.deploymentId === undefined ? {} : { pageIds: [facts.deploymentId] }),
  };
}

const exportedSchema = z.object({ basePath: z.string() });

/**
 * Finds the files that `output: "export"` wrote. If there is a base path, these files are below it.
 */
async function exportedFiles(output: BuiltOutput, from: string): Promise<Found> {
  const routes = parseJson(await output.project.readText(".next/routes-manifest.json"));
  const basePath = trimmed(exportedSchema.safeParse(routes).data?.basePath ?? "");
  if (basePath === "" && from === output.directory) return { type: "static", directory: "." };
  return {
    type: "static",
    directory: "site",
    placements: [{ from, to: join("site", basePath) }],
  };
}

const detailSchema = z.object({ outDirectory: z.string() });

/** Finds the folder that `output: "export"` wrote, relative to the project. */
async function exportFolder(output: BuiltOutput): Promise<string | undefined> {
  if (output.paths.includes("index.html") || output.paths.includes("404.html")) {
    return output.directory;
  }
  const detail = parseJson(await output.readText("export-detail.json"));
  const folder = detailSchema.safeParse(detail).data?.outDirectory.split(/[/\\]/).at(-1);
  return folder !== undefined && await output.project.exists(folder) ? folder : undefined;
}

/** Analyzes a Next.js build's output. */
export async function findNext(output: BuiltOutput): Promise<Found> {
  const standalone = await readStandalone(output);
  if (standalone !== undefined) return await standaloneServer(standalone);
  const exported = await exportFolder(output);
  if (exported !== undefined) return await exportedFiles(output, exported);
  return {
    type: "unusable",
    message: `Build Next.js with output "standalone": ${output.directory} has no standalone server`,
    hint: 'Set output: "standalone" in next.config, or pass NEXT_PRIVATE_STANDALONE=true, which ' +
      "svc sets, to the build (turbo: globalPassThroughEnv); versions before 13 have neither",
  };
}
