/** @module SvelteKit: the adapter decides between plain files and a server. */
import { textProperty } from "./config_text.ts";
import { setDefaults } from "./launch.ts";
import type {
  Advice,
  BuiltOutput,
  Found,
  Framework,
  FrameworkFacts,
  FrameworkFinding,
  Launch,
} from "./types.ts";

const STATIC_ADAPTER = "@sveltejs/adapter-static";
const NODE_ADAPTER = "@sveltejs/adapter-node";
const AUTO_ADAPTER = "@sveltejs/adapter-auto";

/** First version in which a build variable can make adapter-auto use adapter-node. */
const AUTO_KNOWS_NODE = [3, 2] as const;
const NODE_VARIABLE = "GCP_BUILDPACKS";

/**
 * Adapters for a single platform, and adapters that choose an output based on the platform they run
 * on.
 */
const FOREIGN_ADAPTER =
  /^@sveltejs\/adapter-(?:auto|vercel|netlify|cloudflare)|^svelte-adapter-(?:bun|deno)/;

/**
 * Returns the adapter that the config imports or, failing that, the first one that is installed.
 */
function adapterOf({ config, dependencies }: FrameworkFacts): string | undefined {
  const imported = /["'](@?[\w./-]*adapter-[\w./-]+)["']/.exec(config?.text ?? "")?.[1];
  return imported ?? [...dependencies.keys()].find((name) => /(?:^|\/)adapter-/.test(name));
}

/**
 * Returns whether adapter-auto is new enough to choose adapter-node. An unknown version counts as
 * new.
 */
function autoKnowsNode(range: string | undefined): boolean {
  const [, major, minor = "0"] = /(\d+)(?:\.(\d+))?/.exec(range ?? "") ?? [];
  if (major === undefined) return true;
  const [leastMajor, leastMinor] = AUTO_KNOWS_NODE;
  return Number(major) > leastMajor ||
    (Number(major) === leastMajor && Number(minor) >= leastMinor);
}

function adviceOf(adapter: string | undefined, { add, config, dependencies }: FrameworkFacts) {
  if (adapter === AUTO_ADAPTER && autoKnowsNode(dependencies.get(AUTO_ADAPTER))) return undefined;
  if (adapter !== undefined && !FOREIGN_ADAPTER.test(adapter)) return undefined;
  const state = adapter === undefined
    ? "no adapter is configured"
    : adapter === AUTO_ADAPTER
    ? `this version of "${adapter}" supports only other platforms`
    : `"${adapter}" builds for another platform`;
  return {
    message: `Use the adapter "${NODE_ADAPTER}": ${state}`,
    hint: `Run "${add(NODE_ADAPTER, "dev")}" and import it in ${
      config?.path ?? "the config"
    }; "${STATIC_ADAPTER}" builds static files`,
  };
}

function inspect(facts: FrameworkFacts): FrameworkFinding {
  const adapter = adapterOf(facts);
  const text = facts.config?.text ?? "";
  if (adapter === STATIC_ADAPTER) {
    const pages = textProperty(text, "pages");
    return pages === undefined ? {} : { outputDirs: [pages] };
  }
  const advice = adviceOf(adapter, facts);
  const out = textProperty(text, "out");
  return {
    server: adapter === undefined
      ? `no adapter is configured; "${STATIC_ADAPTER}" builds static files`
      : `the adapter is "${adapter}"; "${STATIC_ADAPTER}" builds static files`,
    ...(out === undefined ? {} : { outputDirs: [out] }),
    ...(advice === undefined ? {} : { advice }),
  };
}

const ENTRY = "index.js";

const LAUNCH: Launch = {
  prelude: setDefaults({
    PROTOCOL_HEADER: "x-forwarded-proto",
    HOST_HEADER: "x-forwarded-host",
    ADDRESS_HEADER: "x-forwarded-for",
  }),
};

function find({ paths }: BuiltOutput, advice: Advice | undefined): Found {
  const made = paths.includes(ENTRY) && paths.some((path) => path.startsWith("server/"));
  if (made) {
    return {
      type: "server",
      launch: LAUNCH,
      directory: ".",
      entry: ENTRY,
      clients: ["client", "prerendered"],
    };
  }
  if (advice !== undefined) return { type: "unusable", ...advice };
  return { type: "static", directory: "." };
}

export const sveltekit: Framework = {
  id: "sveltekit",
  name: "SvelteKit",
  packages: ["@sveltejs/kit"],
  // SvelteKit 3 and later are configured through the options of the Vite plugin.
  configFiles: [
    "svelte.config.js",
    "svelte.config.mjs",
    "svelte.config.ts",
    "vite.config.js",
    "vite.config.ts",
    "vite.config.mjs",
    "vite.config.mts",
  ],
  build: "vite build",
  dev: "vite dev",
  outputDirs: ["build"],
  hashedFolders: [{ path: "_app/immutable/" }],
  versionFile: "_app/version.json",
  server: { find, layout: { entry: ENTRY, files: "client" } },
  buildVariables: { [NODE_VARIABLE]: "1" },
  inspect,
};
