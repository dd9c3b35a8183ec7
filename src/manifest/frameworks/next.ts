/** @module Next.js: a server, unless `output: "export"` makes plain files. */
import { textProperty } from "./config_text.ts";
import type { Framework, FrameworkFacts, FrameworkFinding } from "./types.ts";

function inspect({ config, buildScript }: FrameworkFacts): FrameworkFinding {
  const exported = textProperty(config?.text ?? "", "output") === "export" ||
    /\bnext export\b/.test(buildScript ?? "");
  if (!exported) return { server: 'Next.js makes a server unless its config sets output "export"' };
  const distDir = textProperty(config?.text ?? "", "distDir");
  return distDir === undefined ? {} : { outputDirs: [distDir] };
}

export const next: Framework = {
  id: "next",
  name: "Next.js",
  packages: ["next"],
  configFiles: ["next.config.ts", "next.config.mjs", "next.config.js", "next.config.mts"],
  build: "next build",
  dev: "next dev",
  outputDirs: ["out"],
  inspect,
};
