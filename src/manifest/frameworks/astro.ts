/** @module Astro: static files, unless an adapter creates a server. */
import { hasProperty, textProperty } from "./config_text.ts";
import { keepAstroSessions } from "./kv_storage.ts";
import { FORWARDED_SOCKET, serveListener, setDefaults } from "./launch.ts";
import type {
  BuiltOutput,
  Found,
  Framework,
  FrameworkFacts,
  FrameworkFinding,
  Launch,
} from "./types.ts";

const NODE_ADAPTER = "@astrojs/node";

/** Adapters that work only on a single platform. */
const FOREIGN_ADAPTER = /["'](@astrojs\/(?:vercel|netlify|cloudflare)|@deno\/astro-adapter)[/"']/;

function adviceOf({ config, run }: FrameworkFacts, needsServer: boolean) {
  const hint = `Run "${run("astro add node")}", which installs it and adds it to the config`;
  const foreign = FOREIGN_ADAPTER.exec(config?.text ?? "")?.[1];
  if (foreign !== undefined) {
    return {
      message: `Use the adapter "${NODE_ADAPTER}": "${foreign}" builds for another platform`,
      hint,
    };
  }
  if (!needsServer || hasProperty(config?.text ?? "", "adapter")) return undefined;
  return { message: `Add the adapter "${NODE_ADAPTER}": output "server" needs an adapter`, hint };
}

function inspect(facts: FrameworkFacts): FrameworkFinding {
  const { config } = facts;
  if (config === undefined) return {};
  const outDir = textProperty(config.text, "outDir");
  const output = textProperty(config.text, "output");
  const needsServer = output === "server" || output === "hybrid";
  const advice = adviceOf(facts, needsServer);
  const trailingSlash = textProperty(config.text, "trailingSlash");
  const isTold = trailingSlash === "always" || trailingSlash === "never";
  const finding = {
    ...(isTold ? { urls: { trailingSlash } as const } : {}),
    ...(outDir === undefined ? {} : { outputDirs: [outDir] }),
    ...(advice === undefined ? {} : { advice }),
  };
  if (needsServer) return { ...finding, server: `${config.path} sets output "${output}"` };
  return hasProperty(config.text, "adapter")
    ? { ...finding, server: `${config.path} sets a server adapter` }
    : finding;
}

const ENTRY = "server/entry.mjs";
const CLIENT = "client/";

const LAUNCH: Launch = {
  prelude: `${setDefaults({ ASTRO_NODE_AUTOSTART: "disabled" })}\n${FORWARDED_SOCKET}`,
  // Without a next handler, Astro serves its own 404 page for unknown paths.
  wrapper: (file) => serveListener(file, "entry.handler"),
  edits: [{ path: /_astro_session-driver[\w-]*\.mjs$/, apply: keepAstroSessions }],
};

function find({ paths }: BuiltOutput): Found {
  if (paths.includes(ENTRY)) {
    return {
      type: "server",
      launch: LAUNCH,
      directory: "server",
      entry: ENTRY,
      clients: ["client"],
      images: { endpoints: [{ path: "/_image", style: "astro" }] },
    };
  }
  // If no page needs the adapter, Astro only writes pages to client/.
  const inClient = paths.length > 0 && paths.every((path) => path.startsWith(CLIENT));
  return { type: "static", directory: inClient ? "client" : "." };
}

export const astro: Framework = {
  id: "astro",
  name: "Astro",
  packages: ["astro"],
  configFiles: ["astro.config.mjs", "astro.config.js", "astro.config.ts", "astro.config.mts"],
  build: "astro build",
  dev: "astro dev",
  outputDirs: ["dist"],
  hashedFolders: [{ path: "_astro/" }],
  server: { find, layout: { entry: ENTRY, files: "client" } },
  buildVariables: { ASTRO_TELEMETRY_DISABLED: "1" },
  inspect,
};
