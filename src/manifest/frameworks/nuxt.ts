/** @module Nuxt: `nuxt build` creates a server, and `nuxt generate` creates plain files. */
import * as z from "zod";
import { PAGE_ID } from "../limits.ts";
import { isStaticNitro, NITRO_SERVER, nitroServer } from "./nitro_server.ts";
import type {
  BuiltOutput,
  FoundServer,
  Framework,
  FrameworkFacts,
  FrameworkFinding,
  FrameworkServer,
} from "./types.ts";

function inspect({ config, buildScript }: FrameworkFacts): FrameworkFinding {
  const generates = /\bnuxi? generate\b|\bnuxt generate\b|--prerender\b/.test(buildScript ?? "");
  const text = config?.text ?? "";
  if (generates || isStaticNitro(text, buildScript)) return {};
  const reason = '"nuxt build" builds a server; "nuxt generate" builds static files';
  return nitroServer(text, buildScript, reason);
}

const LATEST = /(?:^|\/)builds\/latest\.json$/;
const latestSchema = z.object({ id: z.string().regex(PAGE_ID) });

/** Returns the build's ID, which pages send when they request payloads. */
async function pageIdsOf(output: BuiltOutput): Promise<Pick<FoundServer, "pageIds">> {
  const path = output.paths.find((path) => LATEST.test(path));
  const text = path === undefined ? undefined : await output.readText(path);
  try {
    return { pageIds: [latestSchema.parse(JSON.parse(text ?? "")).id] };
  } catch {
    return {};
  }
}

/** Nitro's server. Nuxt Image writes URLs below `/_ipx/`, which the platform handles. */
const NUXT_SERVER: FrameworkServer = {
  ...NITRO_SERVER,
  async find(output, advice) {
    const found = await NITRO_SERVER.find(output, advice);
    if (found.type !== "server") return found;
    const pageIds = await pageIdsOf(output);
    return { ...found, ...pageIds, images: { endpoints: [{ path: "/_ipx", style: "ipx" }] } };
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
  // Below `_nuxt/builds/`, Nuxt keeps build records, which change.
  hashedFolders: [{ path: "_nuxt/", except: "builds/" }],
  versionFile: "_nuxt/builds/latest.json",
  server: NUXT_SERVER,
  buildVariables: { NUXT_TELEMETRY_DISABLED: "1" },
  // Nuxt writes about/index.html, but links to /about.
  urls: { trailingSlash: "never" },
  inspect,
};
