/** @module Docusaurus: plain files in `build`. */
import type { Framework } from "./types.ts";

export const docusaurus: Framework = {
  id: "docusaurus",
  name: "Docusaurus",
  packages: ["@docusaurus/core"],
  configFiles: ["docusaurus.config.ts", "docusaurus.config.js", "docusaurus.config.mjs"],
  build: "docusaurus build",
  dev: "docusaurus start",
  outputDirs: ["build"],
  inspect: ({ buildScript }) => {
    const outDir = /--out-dir[= ]([\w./-]+)/.exec(buildScript ?? "")?.[1];
    return outDir === undefined ? {} : { outputDirs: [outDir] };
  },
};
