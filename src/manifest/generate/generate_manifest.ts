/**
 * The manifest of a build that wrote none itself (spec, "For framework
 * projects it detects the framework and generates a manifest").
 *
 * @module
 */
import type { DetectedProject } from "../detect/types.ts";
import { MANIFEST_VERSION } from "../limits.ts";
import type { Layer, Manifest, Route } from "../types.ts";
import { findFramework } from "../frameworks/frameworks.ts";
import type { BuiltOutput, Found, FoundServer } from "../frameworks/types.ts";
import { CATCH_ALL_PATTERN, generateStaticManifest, metaOf } from "./static_manifest.ts";

const SERVER_LAYER = "server";

/** Files named by their content first, then all other files, the server last. */
const PRIORITY = { hashed: 30, beforeFiles: 25, files: 20, server: 0 } as const;

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** A file that an older page asks for must not wake the server, so hashed folders end here. */
function routesOf(
  clients: readonly string[],
  { hashed, beforeFiles }: {
    readonly hashed: readonly string[];
    readonly beforeFiles: readonly string[];
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
    { pattern: CATCH_ALL_PATTERN, layer: SERVER_LAYER, priority: PRIORITY.server },
  ];
}

/**
 * A layer for each folder of files, one for the server, and a number of routes
 * that does not grow with the pages: a path without file falls through.
 */
function serverManifest(found: FoundServer, { paths, framework }: GeneratedFrom): Manifest {
  const clients = found.clients.filter((folder) =>
    paths.some((path) => path.startsWith(`${folder}/`))
  );
  const { directory, entry, memoryMb, beforeFiles = [] } = found;
  const layers: Layer[] = [
    ...clients.map((name) => ({ name, target: "STATIC" as const, directory: name })),
    {
      ...{ name: SERVER_LAYER, target: "COMPUTE", directory, entry },
      ...(memoryMb === undefined ? {} : { runtime: { memoryMb } }),
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
    routes: routesOf(clients, { hashed, beforeFiles }),
    ...metaOf(framework === undefined ? {} : { framework }),
  };
}

/** What detection expects and the output lacks. */
function withoutServer({ framework, server, advice }: DetectedProject): Found | undefined {
  if (advice !== undefined) return { type: "unusable", ...advice };
  if (server === undefined || framework?.id === "astro") return undefined;
  return {
    type: "unusable",
    message:
      `Deploy the folder that has server and files: this output has no server (${server.reason})`,
    hint: 'Set "build.output_dirs" in svc.toml to the folder that the build command writes',
  };
}

/** Finds out what a build made. Without a known server: plain files. */
export async function findBuilt(detected: DetectedProject, output: BuiltOutput): Promise<Found> {
  const server = findFramework(detected.framework?.id)?.server;
  const found = await server?.find(output, detected.advice) ??
    { type: "static" as const, directory: "." };
  const isWhole = found.type === "static" && found.directory === ".";
  return (isWhole ? withoutServer(detected) : undefined) ?? found;
}

/** What a manifest is made of, beside what was found. */
export interface GeneratedFrom {
  /** Paths of the files that are deployed. */
  readonly paths: readonly string[];
  readonly framework: DetectedProject["framework"];
}

/** Writes the manifest of what a build made. */
export function generateManifest(
  found: Exclude<Found, { readonly type: "unusable" }>,
  from: GeneratedFrom,
): Manifest {
  if (found.type === "server") return serverManifest(found, from);
  const { framework } = from;
  return generateStaticManifest({
    directory: found.directory,
    ...(framework === undefined ? {} : { framework }),
  });
}
