/** @module Next.js: a server on Node, unless `output: "export"` creates static files. */
import { textProperty } from "./config_text.ts";
import { findNext } from "./next_server.ts";
import type { Framework, FrameworkFacts, FrameworkFinding } from "./types.ts";

function inspect({ config, buildScript }: FrameworkFacts): FrameworkFinding {
  const text = config?.text ?? "";
  const distDir = textProperty(text, "distDir");
  const exported = textProperty(text, "output") === "export" ||
    /\bnext export\b/.test(buildScript ?? "");
  if (exported) return distDir === undefined ? {} : { outputDirs: [distDir] };
  const build = distDir ?? ".next";
  return {
    server: 'Next.js builds a server unless its config sets output "export"',
    outputDirs: [`${build}/standalone`, build],
  };
}

export const next: Framework = {
  id: "next",
  name: "Next.js",
  packages: ["next"],
  configFiles: ["next.config.ts", "next.config.mjs", "next.config.js", "next.config.mts"],
  build: "next build",
  dev: "next dev",
  outputDirs: ["out"],
  hashedFolders: [{ path: "_next/static/" }],
  server: { find: findNext },
  // The default for `output` in Next.js's config. A value set by the author overrides this default.
  pageIdVariable: "NEXT_DEPLOYMENT_ID",
  buildVariables: { NEXT_PRIVATE_STANDALONE: "true", NEXT_TELEMETRY_DISABLED: "1" },
  inspect,
};
