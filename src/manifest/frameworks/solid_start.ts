/** @module SolidStart, built by Nitro with Vinxi (version 1) or Vite (version 2). */
import { isNitroOutput, isStaticNitro, NITRO_SERVER, nitroServer } from "./nitro_server.ts";
import type {
  Advice,
  BuiltOutput,
  Found,
  Framework,
  FrameworkFacts,
  FrameworkFinding,
} from "./types.ts";

/** Packages that build a standalone server. Version 1 includes Nitro through Vinxi. */
const NITRO = ["vinxi", "nitro", "@solidjs/vite-plugin-nitro-2"] as const;

function nitroAdvice({ add, config }: FrameworkFacts): Advice {
  return {
    message: "Build SolidStart with Nitro: without its plugin, there is no standalone server",
    hint: `Run "${add("nitro")}", and add nitro() from "nitro/vite" to the plugins in ` +
      `${config?.path ?? "vite.config.ts"}, instead of the other platform's plugin`,
  };
}

function inspect(facts: FrameworkFacts): FrameworkFinding {
  const { config, buildScript, dependencies } = facts;
  const text = config?.text ?? "";
  const commands = dependencies.has("vinxi")
    ? { build: "vinxi build", dev: "vinxi dev" }
    : { build: "vite build", dev: "vite dev" };
  if (isStaticNitro(text, buildScript)) return { ...commands, outputDirs: [".output/public"] };
  const reason = 'SolidStart renders on a server unless its preset is "static"';
  const byNitro = NITRO.some((name) => dependencies.has(name));
  return {
    ...commands,
    ...nitroServer(text, buildScript, reason),
    ...(byNitro ? {} : { advice: nitroAdvice(facts) }),
  };
}

async function find(output: BuiltOutput, advice: Advice | undefined): Promise<Found> {
  if (advice !== undefined && !isNitroOutput(output)) return { type: "unusable", ...advice };
  return await NITRO_SERVER.find(output, advice);
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
  server: { ...NITRO_SERVER, find },
  // SolidStart writes about/index.html, but links to /about.
  urls: { trailingSlash: "never" },
  inspect,
};
