/** @module Which presets of Nitro make plain files, shared by Nuxt and Nitro. */
import { hasWord, textProperty } from "./config_text.ts";

const STATIC_PRESETS =
  /^(?:static|github[-_]pages|gitlab[-_]pages|.+[-_]static|cloudflare[-_]pages[-_]static)$/;

/** Whether the config or the build script chooses a preset without a server. */
export function isStaticNitro(config: string, buildScript: string | undefined): boolean {
  const preset = /--preset[= ]([\w-]+)/.exec(buildScript ?? "")?.[1] ??
    /NITRO_PRESET=([\w-]+)/.exec(buildScript ?? "")?.[1] ?? textProperty(config, "preset");
  if (preset !== undefined) return STATIC_PRESETS.test(preset);
  return hasWord(config, "static", "true");
}
