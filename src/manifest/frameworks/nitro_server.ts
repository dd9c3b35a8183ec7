/** @module Code shared by Nuxt and Nitro: presets, output and `nitro.json`. */
import * as z from "zod";
import { parseRelativePath } from "../relative_path.ts";
import { carryOut, readNitroRules } from "./nitro_rules.ts";
import { hasWord, textProperty } from "./config_text.ts";
import { keepNitroStorage } from "./kv_storage.ts";
import { FORWARDED_SOCKET, serveListener } from "./launch.ts";
import type {
  Advice,
  BuiltOutput,
  Found,
  FrameworkFinding,
  FrameworkServer,
  Launch,
} from "./types.ts";

const STATIC_PRESETS =
  /^(?:static|github[-_]pages|gitlab[-_]pages|.+[-_]static|cloudflare[-_]pages[-_]static)$/;

const NODE_PRESETS = /^node(?:[-_](?:server|middleware|listener))?$/;

/** Returns whether a preset creates static files. */
function isStaticPreset(preset: string): boolean {
  return STATIC_PRESETS.test(preset);
}

/** Returns the preset that the build script or the config chooses. */
function presetOf(config: string, buildScript: string | undefined): string | undefined {
  return /--preset[= ]([\w-]+)/.exec(buildScript ?? "")?.[1] ??
    /NITRO_PRESET=([\w-]+)/.exec(buildScript ?? "")?.[1] ?? textProperty(config, "preset");
}

/** Returns whether the config or the build script chooses a preset without a server. */
export function isStaticNitro(config: string, buildScript: string | undefined): boolean {
  const preset = presetOf(config, buildScript);
  return preset === undefined ? hasWord(config, "static", "true") : isStaticPreset(preset);
}

function presetAdvice(preset: string): Advice {
  return {
    message: `Build with Nitro's preset "node_server": "${preset}" builds for another platform`,
    hint: 'Set preset "node_server" in the config, or NITRO_PRESET=node_server for the build',
  };
}

/** Describes a Nitro server. Its output has separate folders for the server and files. */
export function nitroServer(
  config: string,
  buildScript: string | undefined,
  reason: string,
): FrameworkFinding {
  const preset = presetOf(config, buildScript);
  const foreign = preset !== undefined && !NODE_PRESETS.test(preset);
  return {
    server: reason,
    outputDirs: [".output"],
    ...(foreign ? { advice: presetAdvice(preset) } : {}),
  };
}

const BUILD_INFO = "nitro.json";

const infoSchema = z.object({
  preset: z.string().optional(),
  serverEntry: z.string().optional(),
  publicDir: z.string().optional(),
});

/** Edits to the Nitro modules that configure storage. */
const EDITS = [{ path: /(?:^|\/)chunks\/.*\.mjs$|(?:^|\/)index\.mjs$/, apply: keepNitroStorage }];

/** Nuxt Content copies its pages to a database, whose path must be set. */
const CONTENT_DATABASE = "process.env.NUXT_CONTENT_DATABASE_FILENAME ??= " +
  '`${process.env.TMPDIR ?? "/tmp"}/contents.sqlite`;';

const PRELUDE = `${FORWARDED_SOCKET}\n${CONTENT_DATABASE}`;

/** The launch settings for an entry that listens by itself. */
const LISTENING: Launch = { prelude: PRELUDE, edits: EDITS };

/** The launch settings for an entry that exports only middleware. */
const MIDDLEWARE: Launch = {
  prelude: PRELUDE,
  edits: EDITS,
  wrapper: (file) =>
    serveListener(file, "entry.middleware ?? entry.listener ?? entry.handler ?? entry.default"),
};

const LAUNCHES: Readonly<Record<string, Launch>> = {
  "node-server": LISTENING,
  "node": MIDDLEWARE,
  "node-middleware": MIDDLEWARE,
  "node-listener": MIDDLEWARE,
};

export function isNitroOutput({ paths }: BuiltOutput): boolean {
  return paths.includes(BUILD_INFO);
}

async function readInfo(output: BuiltOutput): Promise<z.infer<typeof infoSchema>> {
  const text = await output.readText(BUILD_INFO);
  if (text === undefined) return {};
  try {
    return infoSchema.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

/** Returns a path from `nitro.json` if the path is inside the output. */
function inside(path: string | undefined, usual: string): string {
  const parsed = parseRelativePath(path ?? usual);
  return parsed.ok ? parsed.path : usual;
}

async function find(output: BuiltOutput): Promise<Found> {
  const { preset, serverEntry, publicDir } = await readInfo(output);
  const client = inside(publicDir, "public");
  const hasClient = output.paths.some((path) => path.startsWith(`${client}/`));
  const name = preset?.replaceAll("_", "-") ?? "node-server";
  if (isStaticPreset(name)) return { type: "static", directory: hasClient ? client : "." };
  const launch = LAUNCHES[name];
  if (launch === undefined) return { type: "unusable", ...presetAdvice(preset ?? name) };
  const entry = inside(serverEntry, "server/index.mjs");
  if (!output.paths.includes(entry)) return { type: "static", directory: "." };
  const slash = entry.lastIndexOf("/");
  const directory = slash === -1 ? "." : entry.slice(0, slash);
  return {
    type: "server",
    launch,
    directory,
    entry,
    clients: [client],
    ...carryOut(await readNitroRules(output, directory), { output, client }),
  };
}

/** Nitro's server, which Nuxt also uses. */
export const NITRO_SERVER: FrameworkServer = {
  find,
  layout: { entry: "server/index.mjs", files: "public" },
};
