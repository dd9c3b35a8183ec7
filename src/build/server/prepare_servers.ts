/** @module Prepares the servers of an output: decides the engine and the files of each server. */
import { formatBytes } from "../../lib/format.ts";
import { type ComputeLayer, type Layer, LINKS_PATH, type Manifest } from "../../manifest/mod.ts";
import { readTextFile } from "../../lib/utf8.ts";
import { createFolderReader } from "../folder_reader.ts";
import { contentOf, type OutputContent } from "../hash_files.ts";
import type { ServerBundle } from "../../runtime/mod.ts";
import type { BuildHost } from "../types.ts";
import { bundleLayer, denoServer } from "./bundle_server.ts";
import { decideEngine, type EngineChoice, readProjectKind } from "./decide_engine.ts";
import { describeNeeds } from "./describe_needs.ts";
import { commandServer } from "./command_server.ts";
import { imageServer } from "./image_server.ts";
import { nodeServer } from "./node_server.ts";
import type { PreparedServer, ServerFacts, ServerReport } from "./types.ts";

interface PreparedServers {
  /** The deployed files, in ascending order of their paths. */
  readonly contents: readonly OutputContent[];
  /**
   * The manifest. Its COMPUTE layers contain the decisions so far and the settings from `svc.toml`.
   */
  readonly manifest: Manifest;
  readonly servers: readonly ServerReport[];
}

/** Reports a bundle, and any code in it that will fail. */
function sayBundle(
  host: BuildHost,
  { layer, bundle, reason }: {
    readonly layer: ComputeLayer;
    readonly bundle: ServerBundle;
    readonly reason: string;
  },
): void {
  const size = formatBytes(bundle.source.byteLength);
  host.say("build", "info", `Server ${layer.entry} runs on Deno: ${reason}; ${size}`);
  for (const need of describeNeeds(bundle)) {
    host.say("build", "warn", `Some code will fail on Deno: ${need}`);
  }
}

async function readEntry({ entry }: ComputeLayer, { listing }: ServerFacts) {
  const file = listing.files.find(({ path }) => path === entry);
  return file === undefined ? undefined : await readTextFile(file.absolutePath).catch(() => "");
}

/** Decides which engine runs a server. */
async function engineOf(layer: ComputeLayer, facts: ServerFacts): Promise<EngineChoice> {
  const { settings, found, projectRoot } = facts;
  return decideEngine({
    configured: settings.runtime,
    written: layer.runtime?.engine,
    command: found?.command,
    forDeno: found?.launch.forDeno === true,
    isFound: found !== undefined,
    ...await readProjectKind(createFolderReader(projectRoot)),
    entry: found === undefined ? await readEntry(layer, facts) : undefined,
  });
}

async function prepareServer(
  host: BuildHost,
  layer: ComputeLayer,
  facts: ServerFacts,
): Promise<PreparedServer> {
  const { engine, reason } = await engineOf(layer, facts);
  const image = facts.found?.image;
  if (engine === "command" && image !== undefined) {
    return await imageServer(host, layer, { facts, name: image, reason });
  }
  if (engine === "command") return commandServer(host, layer, { facts, reason });
  if (engine === "node") return await nodeServer(host, layer, { facts, reason });
  const made = await bundleLayer(host, layer, facts);
  const server = await denoServer(layer, made, { facts, reason });
  if (made.result.ok) sayBundle(host, { layer, bundle: made.result.bundle, reason });
  return server;
}

/** Applies the server settings from `svc.toml`, which override the manifest. */
function withSettings(layer: ComputeLayer, { server, tmpMb }: ServerFacts["settings"]) {
  const written = { ...(tmpMb === undefined ? {} : { tmpMb }), ...server };
  if (Object.keys(written).length === 0) return layer;
  return { ...layer, runtime: { ...layer.runtime, ...written } };
}

function linksFile(links: Readonly<Record<string, string>>): readonly OutputContent[] {
  const sorted = Object.entries(links).sort(([left], [right]) => left < right ? -1 : 1);
  if (sorted.length === 0) return [];
  const text = JSON.stringify({ version: 1, links: Object.fromEntries(sorted) });
  const content = new TextEncoder().encode(text);
  return [{ path: LINKS_PATH, content, size: content.byteLength }];
}

/**
 * Merges the files of all servers. A Node server's folder stays complete, even if another server
 * has bundled some of the folder's files.
 */
function merge(facts: ServerFacts, prepared: readonly PreparedServer[]): readonly OutputContent[] {
  const kept = prepared.filter(({ report }) => report.engine !== "deno")
    .map(({ layer }) => layer.directory);
  const isKept = (path: string) =>
    kept.some((directory) => directory === "." || path.startsWith(`${directory}/`));
  const contents = new Map<string, OutputContent>();
  for (const file of facts.listing.files) {
    const isDropped = !isKept(file.path) && prepared.some(({ dropped }) => dropped.has(file.path));
    if (!isDropped) contents.set(file.path, contentOf(file));
  }
  for (const content of prepared.flatMap((server) => server.contents)) {
    contents.set(content.path, content);
  }
  const links = Object.assign({}, ...prepared.map((server) => server.links));
  for (const content of linksFile(links)) contents.set(content.path, content);
  return [...contents.values()].sort((left, right) => left.path < right.path ? -1 : 1);
}

/** Decides which engine runs each COMPUTE layer, and lists the files to deploy. */
export async function prepareServers(
  host: BuildHost,
  facts: ServerFacts,
): Promise<PreparedServers> {
  const prepared: PreparedServer[] = [];
  for (const layer of facts.manifest.layers) {
    if (layer.target !== "COMPUTE") continue;
    host.signal.throwIfAborted();
    prepared.push(await prepareServer(host, layer, facts));
  }
  const layers = facts.manifest.layers.map((layer): Layer => {
    const server = prepared.find(({ report }) => report.layer === layer.name);
    return server === undefined ? layer : withSettings(server.layer, facts.settings);
  });
  return {
    contents: merge(facts, prepared),
    manifest: { ...facts.manifest, layers },
    servers: prepared.map(({ report }) => report),
  };
}
