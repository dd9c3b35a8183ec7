/** @module Generates the manifest for a build that has not written one. */
import { dirname, join } from "node:path/posix";
import type { DetectedProject } from "../detect/types.ts";
import { MANIFEST_PATH, MANIFEST_VERSION } from "../limits.ts";
import type { Layer, Manifest, Route } from "../types.ts";
import { findFramework } from "../frameworks/frameworks.ts";
import { findProjectFunctions, serveFunctions } from "../frameworks/functions_server.ts";
import type {
  BuiltOutput,
  Found,
  FoundFiles,
  FoundRoute,
  FoundServer,
} from "../frameworks/types.ts";
import { judgeSigns, STATIC_KEY } from "../signs/judge_signs.ts";
import { findProjectSigns } from "../signs/project_signs.ts";
import { refuseSigns } from "../signs/refuse_signs.ts";
import { withSinglePage } from "./single_page.ts";
import { findServerSign, isPage, type ServerSign } from "./server_signs.ts";
import { CATCH_ALL_PATTERN, generateStaticManifest, metaOf } from "./static_manifest.ts";

const SERVER_LAYER = "server";

/**
 * Files whose names contain a hash of the content come first, then paths that the server handles
 * even if a file exists, then all other files, and then the server.
 */
const PRIORITY = { hashed: 30, beforeFiles: 25, files: 20, server: 0 } as const;

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/**
 * Returns routes with `revalidate`. A route that must come before another gets a higher priority.
 */
function pageRoutes(pages: readonly FoundRoute[]): Route[] {
  const degrees = [...new Set(pages.map(({ precision }) => precision))].sort((a, b) => a - b);
  const step = (PRIORITY.files - PRIORITY.server) / (degrees.length + 1);
  return pages.map(({ pattern, revalidate, precision }) => ({
    pattern,
    layer: SERVER_LAYER,
    priority: PRIORITY.server + step * (degrees.indexOf(precision) + 1),
    revalidate,
  }));
}

/**
 * Returns the routes of a server with files. Requests for folders with hashed file names never
 * reach the server, because a request from an older page must not start it.
 */
function routesOf(
  clients: readonly string[],
  { hashed, beforeFiles, pages }: {
    readonly hashed: readonly string[];
    readonly beforeFiles: readonly string[];
    readonly pages: readonly FoundRoute[];
  },
): Route[] {
  const [first] = clients;
  const files = { methods: ["GET" as const], priority: PRIORITY.files };
  return [
    ...(first === undefined ? [] : hashed.map((path) => ({
      pattern: `^${escapePattern(path)}`,
      layer: first,
      priority: PRIORITY.hashed,
      methods: ["GET" as const],
      fallthrough: false,
    }))),
    ...beforeFiles.map((pattern) => ({
      pattern,
      layer: SERVER_LAYER,
      priority: PRIORITY.beforeFiles,
    })),
    ...clients.map((layer) => ({ pattern: CATCH_ALL_PATTERN, layer, ...files })),
    ...pageRoutes(pages),
    { pattern: CATCH_ALL_PATTERN, layer: SERVER_LAYER, priority: PRIORITY.server },
  ];
}

/** Returns the routes of a server that handles only some paths. Files handle all other paths. */
function routesOfSome(
  client: string | undefined,
  { paths, withoutFile }: NonNullable<FoundServer["only"]>,
): Route[] {
  const toServer = (patterns: readonly string[], priority: number) =>
    patterns.map((pattern) => ({ pattern, layer: SERVER_LAYER, priority }));
  return [
    ...toServer(paths, PRIORITY.beforeFiles),
    ...(client === undefined
      ? []
      : [{ pattern: CATCH_ALL_PATTERN, layer: client, priority: PRIORITY.files }]),
    ...toServer(withoutFile, PRIORITY.server),
  ];
}

/**
 * Generates a manifest with a layer for each folder of files, and one for the server. The number of
 * routes does not grow with the number of pages, because a path without a file falls through to the
 * next route.
 */
function serverManifest(found: FoundServer, { paths, framework }: GeneratedFrom): Manifest {
  const clients = found.clients.filter((folder) =>
    paths.some((path) => path.startsWith(`${folder}/`))
  );
  const { directory, entry, memoryMb, timeoutMs, beforeFiles = [], routes: pages = [] } = found;
  const { fallback, only } = found;
  const limits = {
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  const layers: Layer[] = [
    ...clients.map((name, at) => ({
      name,
      target: "STATIC" as const,
      directory: name,
      ...(fallback === undefined || at > 0 ? {} : { fallback }),
    })),
    {
      name: SERVER_LAYER,
      target: "COMPUTE",
      directory,
      entry,
      ...(Object.keys(limits).length === 0 ? {} : { runtime: limits }),
    },
  ];
  const folders = found.hashedFolders ??
    (findFramework(framework?.id)?.hashedFolders ?? []).map(({ path }) => `/${path}`);
  const hashed = folders.filter((path) =>
    paths.some((file) => file.startsWith(`${clients[0]}${path}`))
  );
  return {
    version: MANIFEST_VERSION,
    layers,
    routes: only === undefined
      ? routesOf(clients, { hashed, beforeFiles, pages })
      : routesOfSome(clients[0], only),
    ...(found.images === undefined ? {} : { images: found.images }),
    ...(found.pageIds === undefined ? {} : { pageIds: [...found.pageIds] }),
    ...metaOf(framework === undefined ? {} : { framework }),
  };
}

/** Explains that the expected server is missing. */
function withoutServer({ framework, server, advice }: DetectedProject): Found | undefined {
  if (advice !== undefined) return { type: "unusable", ...advice };
  if (server === undefined || framework?.id === "astro") return undefined;
  return {
    type: "unusable",
    message:
      `Deploy the folder that contains the server and its files: this output has no server (${server.reason})`,
    hint: 'Set "build.output_dirs" in svc.toml to the folder that the build command writes',
  };
}

/** Returns one folder of an output as a separate output. */
function folderOf(output: BuiltOutput, folder: string): BuiltOutput {
  if (folder === ".") return output;
  const prefix = `${folder}/`;
  return {
    ...output,
    directory: join(output.directory, folder),
    paths: output.paths.filter((path) => path.startsWith(prefix))
      .map((path) => path.slice(prefix.length)),
    readText: (path) => output.readText(prefix + path),
  };
}

/** Rejects a static site with server code, and shows the manifest that would run this code. */
function refuseServer(sign: ServerSign, { directory, paths }: BuiltOutput): Found {
  const { seen, entry, clients } = sign;
  const where = directory === "." ? MANIFEST_PATH : `${directory}/${MANIFEST_PATH}`;
  const publish = `to publish these files, set ${STATIC_KEY}`;
  if (entry === undefined) {
    return {
      type: "unusable",
      message: `Deploy a static site or a supported server: ${seen}`,
      hint: `A server must be JavaScript or TypeScript; ${publish}`,
    };
  }
  const manifest = serverManifest({
    type: "server",
    launch: {},
    directory: dirname(entry),
    entry,
    clients: clients.filter((folder) => folder !== dirname(entry)),
  }, { paths, framework: undefined });
  return {
    type: "unusable",
    message: `Define how to serve this output: it looks like a server, not a static site (${seen})`,
    hint: `To run it, make the build write ${where}: ${JSON.stringify(manifest)}; ${publish}`,
  };
}

/** Checks a site's project for signs of a server. */
async function judgeProject(
  found: FoundFiles,
  { detected: { framework }, output, isNamed }: {
    readonly detected: DetectedProject;
    readonly output: BuiltOutput;
    readonly isNamed: boolean;
  },
): Promise<Found> {
  const judgment = judgeSigns(await findProjectSigns(output.project), {
    framework: framework?.id,
    isBuilt: output.directory !== ".",
    isNamed,
    hasPage: output.paths.some(isPage),
  });
  if (judgment.type === "refused") return refuseSigns(judgment.signs);
  return judgment.type === "noted" ? { ...found, notes: [judgment.note] } : found;
}

/** Rejects functions that no engine can run. */
export function refuseFunctions(
  refused: readonly string[],
): Found & { readonly type: "unusable" } {
  return {
    type: "unusable",
    message: `svc cannot run some functions:\n${refused.map((each) => `  ${each}`).join("\n")}`,
    hint: `Write them in JavaScript or TypeScript. To publish only the files, set ${STATIC_KEY}`,
  };
}

/**
 * Analyzes a build's output. If no known server is found, the files in the output count as plain
 * files, unless there are signs of a server.
 */
export async function findBuilt(
  detected: DetectedProject,
  output: BuiltOutput,
  { isStatic = false, isNamed = false }: BuiltOptions = {},
): Promise<Found> {
  const server = findFramework(detected.framework?.id)?.server;
  const found = await server?.find(output, detected.advice) ??
    { type: "static" as const, directory: "." };
  if (isStatic) {
    const published = asStatic(found, output);
    if (published.type !== "static") return published;
    const folder = folderOf(output, published.directory);
    return await withSinglePage(published, { framework: detected.framework?.id, folder });
  }
  if (found.type !== "static") return found;
  const functions = await findProjectFunctions(output.project);
  if (functions !== undefined) {
    const { directory } = found;
    const folder = folderOf(output, directory);
    const files = await withSinglePage(found, { framework: detected.framework?.id, folder });
    return functions.refused.length > 0
      ? refuseFunctions(functions.refused)
      : await serveFunctions(functions, { output, files });
  }
  const isWhole = found.directory === ".";
  const lacking = isWhole ? withoutServer(detected) : undefined;
  if (lacking !== undefined) return lacking;
  const folder = folderOf(output, found.directory);
  const judged = await judgeProject(found, { detected, output, isNamed });
  if (judged.type !== "static") return judged;
  const sign = await findServerSign(folder);
  if (sign !== undefined) return refuseServer(sign, folder);
  return await withSinglePage(judged, { framework: detected.framework?.id, folder });
}

export interface BuiltOptions {
  /** Whether `svc.toml` declares the output a static site. */
  readonly isStatic?: boolean;
  /** Whether the output directory was set explicitly instead of detected. */
  readonly isNamed?: boolean;
}

/**
 * Returns the public files of an output that is declared static, without the framework's server.
 */
function asStatic(found: Found, { directory }: BuiltOutput): Found {
  if (found.type === "static") return found;
  const isBeside = found.type === "server" && found.placements !== undefined && directory !== ".";
  if (isBeside || found.type === "unusable") return { type: "static", directory: "." };
  return {
    type: "unusable",
    message: `Set the folder of the files: ${directory} contains the server ${found.entry}, ` +
      `which ${STATIC_KEY} would publish`,
    hint: 'Set "build.output_dirs" in svc.toml to the folder that contains only the files',
  };
}

/** Additional inputs for a generated manifest. */
interface GeneratedFrom {
  /** Paths of the files to deploy. */
  readonly paths: readonly string[];
  readonly framework: DetectedProject["framework"];
  /** URLs that the framework uses in links to pages. */
  readonly urls?: DetectedProject["urls"];
}

/** Generates the manifest for a build's output. */
export function generateManifest(
  found: Exclude<Found, { readonly type: "unusable" }>,
  from: GeneratedFrom,
): Manifest {
  const { framework, urls } = from;
  const withUrls = urls === undefined ? {} : { urls };
  if (found.type === "server") return { ...serverManifest(found, from), ...withUrls };
  const { directory, fallback } = found;
  const manifest = generateStaticManifest({
    directory,
    fallback,
    framework,
  });
  return { ...manifest, ...withUrls };
}
