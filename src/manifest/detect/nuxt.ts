/** @module Nuxt: `nuxt build` makes a server, `nuxt generate` plain files. */
import { isStaticNitro } from "./nitro_preset.ts";
import type { Framework, FrameworkFacts, FrameworkFinding } from "./types.ts";

function inspect({ config, buildScript }: FrameworkFacts): FrameworkFinding {
  const generates = /\bnuxi? generate\b|\bnuxt generate\b|--prerender\b/.test(buildScript ?? "");
  if (generates || isStaticNitro(config?.text ?? "", buildScript)) return {};
  if (buildScript === undefined) return { build: "nuxt generate" };
  return { server: '"nuxt build" makes a server; "nuxt generate" makes plain files' };
}

export const nuxt: Framework = {
  id: "nuxt",
  name: "Nuxt",
  packages: ["nuxt", "nuxt-nightly"],
  configFiles: ["nuxt.config.ts", "nuxt.config.js", "nuxt.config.mjs"],
  build: "nuxt build",
  dev: "nuxt dev",
  outputDirs: [".output/public", "dist"],
  inspect,
};
