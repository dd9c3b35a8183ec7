/** @module Eleventy: plain files in `_site` or `dir.output`. */
import { textProperty } from "./config_text.ts";
import type { Framework } from "./types.ts";

export const eleventy: Framework = {
  id: "eleventy",
  name: "Eleventy",
  packages: ["@11ty/eleventy"],
  configFiles: [
    ".eleventy.js",
    "eleventy.config.js",
    "eleventy.config.mjs",
    "eleventy.config.cjs",
    "eleventy.config.ts",
  ],
  build: "eleventy",
  dev: "eleventy --serve",
  outputDirs: ["_site"],
  inspect: ({ config, buildScript }) => {
    const flag = /--output[= ]([\w./-]+)/.exec(buildScript ?? "")?.[1];
    const output = flag ?? textProperty(config?.text ?? "", "output") ??
      /setOutputDirectory\(\s*["'`]([^"'`\n]{1,256})["'`]/.exec(config?.text ?? "")?.[1];
    return output === undefined ? {} : { outputDirs: [output] };
  },
};
