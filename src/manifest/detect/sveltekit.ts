/** @module SvelteKit: its adapter decides between a server and plain files. */
import { textProperty } from "./config_text.ts";
import type { Framework, FrameworkFacts, FrameworkFinding } from "./types.ts";

const STATIC_ADAPTER = "@sveltejs/adapter-static";
const NODE_ADAPTER = "@sveltejs/adapter-node";

/** Adapters that make something for one platform, or choose by the platform that they run on. */
const FOREIGN_ADAPTER =
  /^@sveltejs\/adapter-(?:auto|vercel|netlify|cloudflare)|^svelte-adapter-(?:bun|deno)/;

/** The adapter that the config imports, else the only one installed. */
function adapterOf({ config, dependencies }: FrameworkFacts): string | undefined {
  const imported = /["'](@?[\w./-]*adapter-[\w./-]+)["']/.exec(config?.text ?? "")?.[1];
  return imported ?? [...dependencies.keys()].find((name) => /(?:^|\/)adapter-/.test(name));
}

function adviceOf(adapter: string | undefined, { add, config }: FrameworkFacts) {
  if (adapter !== undefined && !FOREIGN_ADAPTER.test(adapter)) return undefined;
  const state = adapter === undefined
    ? "no adapter is configured"
    : adapter.endsWith("-auto")
    ? `"${adapter}" knows other platforms only`
    : `"${adapter}" builds for another platform`;
  return {
    message: `Use the adapter "${NODE_ADAPTER}": ${state}`,
    hint: `Run "${add(NODE_ADAPTER, "dev")}" and import it in ${
      config?.path ?? "the config"
    }; "${STATIC_ADAPTER}" makes plain files`,
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
      ? `no adapter is configured; "${STATIC_ADAPTER}" makes plain files`
      : `the adapter is "${adapter}"; "${STATIC_ADAPTER}" makes plain files`,
    ...(out === undefined ? {} : { outputDirs: [out] }),
    ...(advice === undefined ? {} : { advice }),
  };
}

export const sveltekit: Framework = {
  id: "sveltekit",
  name: "SvelteKit",
  packages: ["@sveltejs/kit"],
  // From version 3 on, SvelteKit is configured by its plugin of Vite.
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
  inspect,
};
