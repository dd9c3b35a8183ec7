/** @module Astro: static unless an adapter or `output: "server"` makes it a server. */
import { hasProperty, textProperty } from "./config_text.ts";
import type { Framework, FrameworkFacts, FrameworkFinding } from "./types.ts";

function inspect({ config }: FrameworkFacts): FrameworkFinding {
  if (config === undefined) return {};
  const outDir = textProperty(config.text, "outDir");
  const finding = outDir === undefined ? {} : { outputDirs: [outDir] };
  const output = textProperty(config.text, "output");
  if (output === "server" || output === "hybrid") {
    return { ...finding, server: `${config.path} sets output "${output}"` };
  }
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
