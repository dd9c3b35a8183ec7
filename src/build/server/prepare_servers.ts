/**
 * The servers of an output: for each it is decided what runs it, and what is
 * deployed for that.
 *
 * @module
 */
import { formatBytes } from "../../lib/format.ts";
import {
  type ComputeLayer,
  findFramework,
  type Layer,
  LINKS_PATH,
  type Manifest,
} from "../../manifest/mod.ts";
import { contentOf, type OutputContent } from "../hash_files.ts";
import type { ServerBundle } from "../../runtime/mod.ts";
import type { BuildHost } from "../types.ts";
import { bundleLayer, denoServer, type LayerBundle } from "./bundle_server.ts";
import { judgeBundle, needsOf, wishedEngine } from "./decide_engine.ts";
import { nodeServer } from "./node_server.ts";
import type { PreparedServer, ServerFacts, ServerReport } from "./types.ts";

export interface PreparedServers {
  /** What is deployed, in ascending order of the paths. */
  readonly contents: readonly OutputContent[];
  /** With what was decided, and what `svc.toml` says, in its COMPUTE layers. */
  readonly manifest: Manifest;
  readonly servers: readonly ServerReport[];
}

/** What a framework says of packages with native addons that it always brings and rarely needs. */
const expectedOf = ({ framework }: ServerFacts): Readonly<Record<string, string>> =>
  findFramework(framework)?.server?.expectedNative ?? {};

/** Reports a bundle, and what of it will fail. */
function sayBundle(
  host: BuildHost,
  { layer, bundle, reason, expected }: {
    readonly layer: ComputeLayer;
    readonly bundle: ServerBundle;
    readonly reason: string;
    readonly expected: Readonly<Record<string, string>>;
  },
): void {
  const size = formatBytes(bundle.source.byteLength);
  host.say("build", "info", `Server ${layer.entry} runs on Deno: ${reason}; ${size}`);
  for (const name of bundle.native) {
    if (expected[name] !== undefined) host.say("build", "info", expected[name]);
  }
  for (const need of needsOf(bundle, (name) => name in expected)) {
    host.say("build", "warn", `On Deno, what uses this will fail: ${need}`);
  }
}

/** What runs a server, why, as a clause, and its bundle, which runs on Deno alone. */
export type DecidedServer =
  | { readonly engine: "node"; readonly reason: string }
  | { readonly engine: "deno"; readonly reason: string; readonly made: LayerBundle };

/** Decides what runs a server: by what is wished for it, else by bundling it. */
export async function decideServer(
  host: BuildHost,
  layer: ComputeLayer,
  facts: ServerFacts,
): Promise<DecidedServer> {
  const wish = wishedEngine({
    configured: facts.settings.runtime,
    written: layer.runtime?.engine,
    framework: facts.found?.node,
    forDeno: facts.found?.launch.forDeno === true,
  });
  if (wish?.engine === "node") return { engine: "node", reason: wish.reason };
  const made = await bundleLayer(host, layer, facts);
  const expected = expectedOf(facts);
  const { engine, reason } = wish ?? judgeBundle(made.result, (name) => name in expected);
  return engine === "node" ? { engine, reason } : { engine, reason, made };
}

async function prepareServer(
  host: BuildHost,
  layer: ComputeLayer,
  facts: ServerFacts,
): Promise<PreparedServer> {
  const decided = await decideServer(host, layer, facts);
  const { reason } = decided;
  if (decided.engine === "node") return await nodeServer(host, layer, { facts, reason });
  const { made } = decided;
  const expected = expectedOf(facts);
  if (made.result.ok) {
    sayBundle(host, { layer, bundle: made.result.bundle, reason, expected });
  }
  return await denoServer(layer, made, { facts, reason });
}

/** What `svc.toml` says of a server goes before its manifest. */
function withSettings(layer: ComputeLayer, { health, tmpMb }: ServerFacts["settings"]) {
  if (health === undefined && tmpMb === undefined) return layer;
  return {
    ...layer,
    runtime: {
      ...layer.runtime,
      ...(tmpMb === undefined ? {} : { tmpMb }),
      ...(health === undefined ? {} : { healthPath: health }),
    },
  };
}

function linksFile(links: Readonly<Record<string, string>>): readonly OutputContent[] {
  const sorted = Object.entries(links).sort(([left], [right]) => left < right ? -1 : 1);
  if (sorted.length === 0) return [];
  const text = JSON.stringify({ version: 1, links: Object.fromEntries(sorted) });
  const content = new TextEncoder().encode(text);
  return [{ path: LINKS_PATH, content, size: content.byteLength }];
}

/** The files of all: what a server on Node has in its folder stays, whoever else bundled it. */
function merge(facts: ServerFacts, prepared: readonly PreparedServer[]): readonly OutputContent[] {
  const kept = prepared.filter(({ report }) => report.engine === "node")
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

/** Decides for each COMPUTE layer what runs it, and lists what is deployed. */
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
