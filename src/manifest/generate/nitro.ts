/** @module Nitro, and Nuxt which builds on it: `nitro.json` tells what the build made. */
import { z } from "zod";
import { isStaticPreset, presetAdvice } from "../detect/nitro_preset.ts";
import { parseRelativePath } from "../relative_path.ts";
import type { BuiltOutput, Found, Launcher } from "./types.ts";

const BUILD_INFO = "nitro.json";

const infoSchema = z.object({
  preset: z.string().optional(),
  serverEntry: z.string().optional(),
  publicDir: z.string().optional(),
});

/** Presets whose entry listens by itself, and those whose entry gives a middleware only. */
const LAUNCHERS: Readonly<Record<string, Launcher>> = {
  "node-server": "nitro",
  "node": "nitro-middleware",
  "node-middleware": "nitro-middleware",
  "node-listener": "nitro-middleware",
};

async function readInfo(output: BuiltOutput): Promise<z.infer<typeof infoSchema>> {
  const text = await output.readText(BUILD_INFO);
  if (text === undefined) return {};
  try {
    return infoSchema.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

/** A path of `nitro.json`, where it stays inside the output. */
function inside(path: string | undefined, usual: string): string {
  const parsed = parseRelativePath(path ?? usual);
  return parsed.ok ? parsed.path : usual;
}

export async function findNitro(output: BuiltOutput): Promise<Found> {
  const { preset, serverEntry, publicDir } = await readInfo(output);
  const client = inside(publicDir, "public");
  const hasClient = output.paths.some((path) => path.startsWith(`${client}/`));
  const name = preset?.replaceAll("_", "-") ?? "node-server";
  if (isStaticPreset(name)) return { type: "static", directory: hasClient ? client : "." };
  const launcher = LAUNCHERS[name];
  if (launcher === undefined) {
    return { type: "unusable", ...presetAdvice(preset ?? name) };
  }
  const entry = inside(serverEntry, "server/index.mjs");
  if (output.paths.includes(entry)) {
    const slash = entry.lastIndexOf("/");
    return {
      type: "server",
      launcher,
      directory: slash === -1 ? "." : entry.slice(0, slash),
      entry,
      clients: [client],
      immutable: ["/_nuxt/"],
    };
  }
  return { type: "static", directory: "." };
}
