/** @module SolidStart: what Nitro makes of it, by Vinxi (version 1) or by Vite (version 2). */
import { isStaticNitro, NITRO_SERVER, nitroServer } from "./nitro_server.ts";
import type { Framework, FrameworkFacts, FrameworkFinding } from "./types.ts";

function inspect({ config, buildScript, dependencies }: FrameworkFacts): FrameworkFinding {
  const text = config?.text ?? "";
  const commands = dependencies.has("vinxi")
    ? { build: "vinxi build", dev: "vinxi dev" }
    : { build: "vite build", dev: "vite dev" };
  if (isStaticNitro(text, buildScript)) return { ...commands, outputDirs: [".output/public"] };
  const reason = 'SolidStart renders on a server unless its preset is "static"';
  return { ...commands, ...nitroServer(text, buildScript, reason) };
}

export const solidStart: Framework = {
  id: "solid-start",
  name: "SolidStart",
  packages: ["@solidjs/start"],
  configFiles: [
    "app.config.ts",
    "app.config.js",
    "vite.config.ts",
    "vite.config.js",
    "vite.config.mts",
    "vite.config.mjs",
  ],
  build: "vite build",
  dev: "vite dev",
  outputDirs: [".output"],
  hashedFolders: [{ path: "_build/assets/" }],
  server: NITRO_SERVER,
  inspect,
};
