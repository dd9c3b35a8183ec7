/** @module Docusaurus: plain files in `build`. */
import { hasProperty } from "./config_text.ts";
import type { Framework } from "./types.ts";

export const docusaurus: Framework = {
  id: "docusaurus",
  name: "Docusaurus",
  packages: ["@docusaurus/core"],
  configFiles: ["docusaurus.config.ts", "docusaurus.config.js", "docusaurus.config.mjs"],
  build: "docusaurus build",
  dev: "docusaurus start",
  outputDirs: ["build"],
  inspect: ({ buildScript, config }) => {
    const outDir = /--out-dir[= ]([\w./-]+)/.exec(buildScript ?? "")?.[1];
    // By default, Docusaurus writes intro/index.html, but links to /intro.
    const isTold = hasProperty(config?.text ?? "", "trailingSlash");
    return {
      ...(outDir === undefined ? {} : { outputDirs: [outDir] }),
      ...(isTold ? {} : { urls: { trailingSlash: "never" } }),
    };
  },
};
