/** @module Nuxt: `nuxt build` makes a server, `nuxt generate` plain files. */
import { isStaticNitro, NITRO_SERVER, nitroServer } from "./nitro_server.ts";
import type { Framework, FrameworkFacts, FrameworkFinding, FrameworkServer } from "./types.ts";

function inspect({ config, buildScript }: FrameworkFacts): FrameworkFinding {
  const generates = /\bnuxi? generate\b|\bnuxt generate\b|--prerender\b/.test(buildScript ?? "");
  const text = config?.text ?? "";
  if (generates || isStaticNitro(text, buildScript)) return {};
  const reason = '"nuxt build" builds a server; "nuxt generate" builds static files';
  return nitroServer(text, buildScript, reason);
}

/** Nitro's server; Nuxt Image writes URLs below `/_ipx/`, which the platform answers. */
const NUXT_SERVER: FrameworkServer = {
  ...NITRO_SERVER,
  async find(output, advice) {
    const found = await NITRO_SERVER.find(output, advice);
    if (found.type !== "server") return found;
    return { ...found, images: { endpoints: [{ path: "/_ipx", style: "ipx" }] } };
  },
};

export const nuxt: Framework = {
  id: "nuxt",
  name: "Nuxt",
  packages: ["nuxt", "nuxt-nightly"],
  configFiles: ["nuxt.config.ts", "nuxt.config.js", "nuxt.config.mjs"],
  build: "nuxt build",
  dev: "nuxt dev",
  outputDirs: [".output/public", "dist"],
  // Nuxt keeps build records that change below `_nuxt/builds/`.
  hashedFolders: [{ path: "_nuxt/", except: "builds/" }],
  server: NUXT_SERVER,
  buildVariables: { NUXT_TELEMETRY_DISABLED: "1" },
  // It writes about/index.html, and links to /about.
  urls: { trailingSlash: "never" },
  inspect,
};
