/** @module Rsbuild: a single page in `dist` or `distPath.root`. */
import { textProperty } from "./config_text.ts";
import type { Framework } from "./types.ts";

export const rsbuild: Framework = {
  id: "rsbuild",
  name: "Rsbuild",
  packages: ["@rsbuild/core"],
  configFiles: ["ts", "js", "mjs", "mts", "cjs"].map((type) => `rsbuild.config.${type}`),
  build: "rsbuild build",
  dev: "rsbuild dev",
  outputDirs: ["dist"],
  isSinglePage: true,
  inspect: ({ config }) => {
    const text = config?.text ?? "";
    const path = /\bdistPath\b/.test(text)
      ? textProperty(text, "root") ?? textProperty(text, "distPath")
      : undefined;
    return path === undefined ? {} : { outputDirs: [path] };
  },
};
