/** @module SvelteKit: its adapter decides between a server and plain files. */
import { textProperty } from "./config_text.ts";
import type { Framework, FrameworkFacts, FrameworkFinding } from "./types.ts";

const STATIC_ADAPTER = "@sveltejs/adapter-static";

/** The adapter that the config imports, else the only one installed. */
function adapterOf({ config, dependencies }: FrameworkFacts): string | undefined {
  const imported = /["'](@?[\w./-]*adapter-[\w./-]+)["']/.exec(config?.text ?? "")?.[1];
  return imported ?? [...dependencies.keys()].find((name) => /(?:^|\/)adapter-/.test(name));
}

function inspect(facts: FrameworkFacts): FrameworkFinding {
  const adapter = adapterOf(facts);
  if (adapter === STATIC_ADAPTER) {
    const pages = textProperty(facts.config?.text ?? "", "pages");
    return pages === undefined ? {} : { outputDirs: [pages] };
  }
  return {
    server: adapter === undefined
      ? `no adapter is configured; "${STATIC_ADAPTER}" makes plain files`
      : `the adapter is "${adapter}"; "${STATIC_ADAPTER}" makes plain files`,
  };
}

export const sveltekit: Framework = {
  id: "sveltekit",
  name: "SvelteKit",
  packages: ["@sveltejs/kit"],
  configFiles: ["svelte.config.js", "svelte.config.mjs", "svelte.config.ts"],
  build: "vite build",
  dev: "vite dev",
  outputDirs: ["build"],
  inspect,
};
