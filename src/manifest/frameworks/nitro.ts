/** @module Nitro: a server, unless its preset is static. */
import { isStaticNitro, NITRO_SERVER, nitroServer } from "./nitro_server.ts";
import type { Framework, FrameworkFacts, FrameworkFinding } from "./types.ts";

function inspect({ config, buildScript, dependencies }: FrameworkFacts): FrameworkFinding {
  // If Nitro is a Vite plugin, Vite builds it.
  const build = dependencies.has("vite") ? { build: "vite build", dev: "vite dev" } : {};
  const text = config?.text ?? "";
  if (isStaticNitro(text, buildScript)) return build;
  const reason = 'Nitro builds a server unless its preset is "static"';
  return { ...build, ...nitroServer(text, buildScript, reason) };
}

export const nitro: Framework = {
  id: "nitro",
  name: "Nitro",
  packages: ["nitro", "nitropack"],
  configFiles: ["nitro.config.ts", "nitro.config.mjs", "nitro.config.js"],
  build: "nitro build",
  dev: "nitro dev",
  outputDirs: [".output/public"],
  server: NITRO_SERVER,
  inspect,
};
