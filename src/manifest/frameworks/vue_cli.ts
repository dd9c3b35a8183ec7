/** @module Vue CLI: a single page in `dist` or `outputDir`. */
import { textProperty } from "./config_text.ts";
import type { Framework } from "./types.ts";

export const vueCli: Framework = {
  id: "vue-cli",
  name: "Vue CLI",
  packages: ["@vue/cli-service"],
  configFiles: ["vue.config.js", "vue.config.cjs", "vue.config.mjs", "vue.config.ts"],
  build: "vue-cli-service build",
  dev: "vue-cli-service serve",
  outputDirs: ["dist"],
  isSinglePage: true,
  inspect: ({ config }) => {
    const outputDir = textProperty(config?.text ?? "", "outputDir");
    return outputDir === undefined ? {} : { outputDirs: [outputDir] };
  },
};
