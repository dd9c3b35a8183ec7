/** @module TanStack Start: `server/server.js` with a fetch handler, or Nitro's output. */
import { isNitroOutput, NITRO_SERVER } from "./nitro_server.ts";
import type {
  Advice,
  BuiltOutput,
  Found,
  Framework,
  FrameworkFacts,
  FrameworkFinding,
} from "./types.ts";

const NITRO_PLUGINS = ["nitro", "@tanstack/nitro-v2-vite-plugin", "vinxi"] as const;

/** Plugins that each build for one other platform. */
const FOREIGN = ["@cloudflare/vite-plugin", "@netlify/vite-plugin-tanstack-start"] as const;

const ENTRY = "server/server.js";

function inspect({ config, dependencies }: FrameworkFacts): FrameworkFinding {
  const text = config?.text ?? "";
  const foreign = FOREIGN.find((name) => dependencies.has(name) && text.includes(name));
  const byNitro = NITRO_PLUGINS.some((name) => dependencies.has(name));
  return {
    server: "TanStack Start renders on a server",
    ...(byNitro
      ? {
        outputDirs: [".output", "dist"],
        layout: { entry: ".output/server/index.mjs", files: ".output/public" },
      }
      : {}),
    ...(foreign === undefined ? {} : {
      advice: {
        message: `Remove the plugin "${foreign}": it builds for another platform`,
        hint: `Delete it from ${config?.path ?? "the config"}; TanStack Start needs no plugin here`,
      },
    }),
  };
}

async function find(output: BuiltOutput, advice: Advice | undefined): Promise<Found> {
  const { paths } = output;
  if (isNitroOutput(output)) return await NITRO_SERVER.find(output, undefined);
  if (paths.includes(ENTRY)) {
    return {
      type: "server",
      launch: {},
      directory: "server",
      entry: ENTRY,
      clients: ["client"],
    };
  }
  if (advice !== undefined) return { type: "unusable", ...advice };
  return {
    type: "unusable",
    message: `Build the server too: the output has no ${ENTRY}`,
    hint: 'Build with "vite build", and set the folder with client/ and server/ in ' +
      '"build.output_dirs" in svc.toml',
  };
}

export const tanstackStart: Framework = {
  id: "tanstack-start",
  name: "TanStack Start",
  packages: ["@tanstack/react-start", "@tanstack/solid-start", "@tanstack/vue-start"],
  configFiles: ["vite.config.ts", "vite.config.js", "vite.config.mjs", "vite.config.mts"],
  build: "vite build",
  dev: "vite dev",
  outputDirs: ["dist"],
  server: { find, layout: { entry: ENTRY, files: "client" } },
  // TanStack Start writes about/index.html, but links to /about.
  urls: { trailingSlash: "never" },
  inspect,
};
