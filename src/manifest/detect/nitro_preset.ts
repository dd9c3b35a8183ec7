/** @module Which presets of Nitro make what, shared by Nuxt and Nitro. */
import { hasWord, textProperty } from "./config_text.ts";
import type { FrameworkFinding } from "./types.ts";

const STATIC_PRESETS =
  /^(?:static|github[-_]pages|gitlab[-_]pages|.+[-_]static|cloudflare[-_]pages[-_]static)$/;

const NODE_PRESETS = /^node(?:[-_](?:server|middleware|listener))?$/;

/** Whether a preset makes plain files. */
export function isStaticPreset(preset: string): boolean {
  return STATIC_PRESETS.test(preset);
}

/** The preset that the build script or the config chooses. */
function presetOf(config: string, buildScript: string | undefined): string | undefined {
  return /--preset[= ]([\w-]+)/.exec(buildScript ?? "")?.[1] ??
    /NITRO_PRESET=([\w-]+)/.exec(buildScript ?? "")?.[1] ?? textProperty(config, "preset");
}

/** Whether the config or the build script chooses a preset without a server. */
export function isStaticNitro(config: string, buildScript: string | undefined): boolean {
  const preset = presetOf(config, buildScript);
  return preset === undefined ? hasWord(config, "static", "true") : isStaticPreset(preset);
}

/** What to tell about a preset for another platform. */
export function presetAdvice(preset: string): NonNullable<FrameworkFinding["advice"]> {
  return {
    message: `Build with Nitro's preset "node_server": "${preset}" builds for another platform`,
    hint: 'Set preset "node_server" in the config, or NITRO_PRESET=node_server for the build',
  };
}

/** The finding about a Nitro server: its output has server and files beside each other. */
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
