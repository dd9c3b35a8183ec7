/** @module Nitro: a server, unless its preset is a static one. */
import { isStaticNitro } from "./nitro_preset.ts";
import type { Framework, FrameworkFacts, FrameworkFinding } from "./types.ts";

function inspect({ config, buildScript }: FrameworkFacts): FrameworkFinding {
  if (isStaticNitro(config?.text ?? "", buildScript)) return {};
  return { server: 'Nitro makes a server unless its preset is "static"' };
}

export const nitro: Framework = {
  id: "nitro",
  name: "Nitro",
  packages: ["nitro", "nitropack"],
  configFiles: ["nitro.config.ts", "nitro.config.mjs", "nitro.config.js"],
  build: "nitro build",
  dev: "nitro dev",
  outputDirs: [".output/public"],
  inspect,
};
