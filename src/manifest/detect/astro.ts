/** @module Astro: static unless an adapter makes it a server. */
import { hasProperty, textProperty } from "./config_text.ts";
import type { Framework, FrameworkFacts, FrameworkFinding } from "./types.ts";

const NODE_ADAPTER = "@astrojs/node";

/** Adapters that make something for one platform only. */
const FOREIGN_ADAPTER = /["'](@astrojs\/(?:vercel|netlify|cloudflare)|@deno\/astro-adapter)[/"']/;

function adviceOf({ config, run }: FrameworkFacts, needsServer: boolean) {
  const hint = `Run "${run("astro add node")}", which installs it and sets it in the config`;
  const foreign = FOREIGN_ADAPTER.exec(config?.text ?? "")?.[1];
  if (foreign !== undefined) {
    return {
      message: `Use the adapter "${NODE_ADAPTER}": "${foreign}" builds for another platform`,
      hint,
    };
  }
  if (!needsServer || hasProperty(config?.text ?? "", "adapter")) return undefined;
  return { message: `Add the adapter "${NODE_ADAPTER}": output "server" needs one`, hint };
}

function inspect(facts: FrameworkFacts): FrameworkFinding {
  const { config } = facts;
  if (config === undefined) return {};
  const outDir = textProperty(config.text, "outDir");
  const output = textProperty(config.text, "output");
  const needsServer = output === "server" || output === "hybrid";
  const advice = adviceOf(facts, needsServer);
  const finding = {
    ...(outDir === undefined ? {} : { outputDirs: [outDir] }),
    ...(advice === undefined ? {} : { advice }),
  };
  if (needsServer) return { ...finding, server: `${config.path} sets output "${output}"` };
  return hasProperty(config.text, "adapter")
    ? { ...finding, server: `${config.path} sets a server adapter` }
    : finding;
}

export const astro: Framework = {
  id: "astro",
  name: "Astro",
  packages: ["astro"],
  configFiles: ["astro.config.mjs", "astro.config.js", "astro.config.ts", "astro.config.mts"],
  build: "astro build",
  dev: "astro dev",
  outputDirs: ["dist"],
  inspect,
};
