/**
 * The servers of an output: each entry becomes one module, and what went into
 * it is not deployed a second time.
 *
 * @module
 */
import { basename, join } from "node:path";
import { formatPlace } from "../lib/diagnostic.ts";
import { formatBytes, formatCount, printable } from "../lib/format.ts";
import {
  type ComputeLayer,
  findFramework,
  type Launch,
  type Manifest,
  type OutputFile,
} from "../manifest/mod.ts";
import type { ServerBundle } from "../runtime/mod.ts";
import { BuildError } from "./build_error.ts";
import type { OutputContent } from "./hash_files.ts";
import type { BuildHost } from "./types.ts";

export interface ServerFacts {
  /** Absolute path of the output directory. */
  readonly output: string;
  readonly manifest: Manifest;
  /** Set where the framework's server needs something around its entry. */
  readonly launch: Launch | undefined;
  /** Id of the framework that made it. */
  readonly framework: string | undefined;
}

const isInside = (path: string, directory: string) =>
  directory === "." || path.startsWith(`${directory}/`);

/** Files that only machines of authors read. */
const SOURCE_MAP = /\.[cm]?js\.map$/;

function computeLayers({ layers }: Manifest): readonly ComputeLayer[] {
  return layers.filter((layer) => layer.target === "COMPUTE");
}

async function bundleLayer(
  host: BuildHost,
  layer: ComputeLayer,
  { output, launch }: ServerFacts,
): Promise<ServerBundle> {
  const { bundleServerEntry } = await import("../runtime/mod.ts");
  const { prelude, wrapper } = launch ?? {};
  const result = await bundleServerEntry({
    root: output,
    entry: layer.entry,
    cacheDir: host.cacheDir,
    forNode: launch !== undefined,
    ...(prelude === undefined ? {} : { prelude }),
    ...(wrapper === undefined ? {} : { wrapper: wrapper(basename(layer.entry)) }),
  });
  if (result.ok) return result.bundle;
  const { problems } = result;
  const lines = problems.map(({ file, position, message, hint }) =>
    printable(
      `  ${formatPlace(file, position)}: ${message}${hint === undefined ? "" : `. ${hint}`}`,
    )
  );
  throw new BuildError(
    "server_invalid",
    `Correct the server ${layer.entry}: ${formatCount(problems.length, "problem")}\n` +
      lines.join("\n"),
    { details: { problems } },
  );
}

/** Reports a bundle, and what of it the sandbox cannot load. */
function report(
  host: BuildHost,
  { layer, bundle, framework }: {
    readonly layer: ComputeLayer;
    readonly bundle: ServerBundle;
    readonly framework: string | undefined;
  },
): void {
  const size = formatBytes(bundle.source.byteLength);
  host.say("build", "info", `Bundled the server ${layer.entry}: ${size}`);
  for (const name of bundle.native) {
    const expected = findFramework(framework)?.server?.expectedNative?.[name];
    if (expected !== undefined) {
      host.say("build", "info", expected);
      continue;
    }
    host.say(
      "build",
      "warn",
      `Package "${name}" has a native addon, which the sandbox cannot load: ` +
        "what uses it will fail",
    );
  }
}

/**
 * Bundles the entry of each COMPUTE layer; other files stay as they are. Files
 * that went into a bundle are left out, unless a STATIC layer has them.
 */
export async function bundleServers(
  host: BuildHost,
  files: readonly OutputFile[],
  facts: ServerFacts,
): Promise<readonly OutputContent[]> {
  const contents = new Map<string, OutputContent>();
  for (const { path, absolutePath, size } of files) {
    contents.set(path, { path, content: absolutePath, size });
  }
  const layers = computeLayers(facts.manifest);
  if (layers.length === 0) return [...contents.values()];
  const root = await Deno.realPath(facts.output);
  const bundled = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const layer of layers) {
    host.signal.throwIfAborted();
    const bundle = await bundleLayer(host, layer, facts);
    report(host, { layer, bundle, framework: facts.framework });
    bundled.set(layer.entry, bundle.source);
    for (const file of files) {
      const used = bundle.inputs.has(join(root, file.path)) || SOURCE_MAP.test(file.path);
      if (used && isServerOnly(file.path, layer, facts.manifest)) contents.delete(file.path);
    }
    for (const { path, absolutePath } of bundle.assets) {
      const { size } = await Deno.stat(absolutePath);
      contents.set(path, { path, content: absolutePath, size });
    }
  }
  for (const [path, content] of bundled) {
    contents.set(path, { path, content, size: content.byteLength });
  }
  return [...contents.values()].sort((left, right) => left.path < right.path ? -1 : 1);
}

function isServerOnly(path: string, layer: ComputeLayer, { layers }: Manifest): boolean {
  return isInside(path, layer.directory) &&
    !layers.some(({ target, directory }) => target === "STATIC" && isInside(path, directory));
}
