/** @module Vite: plain files in `dist` or `build.outDir`. */
import { textProperty } from "./config_text.ts";
import type { Framework } from "./types.ts";

export const vite: Framework = {
  id: "vite",
  name: "Vite",
  packages: ["vite"],
  configFiles: [
    "vite.config.ts",
    "vite.config.js",
    "vite.config.mjs",
    "vite.config.mts",
    "vite.config.cjs",
    "vite.config.cts",
  ],
  build: "vite build",
  dev: "vite",
  outputDirs: ["dist"],
  isSinglePage: true,
  inspect: ({ config }) => {
    const outDir = textProperty(config?.text ?? "", "outDir");
    return outDir === undefined ? {} : { outputDirs: [outDir] };
  },
};
