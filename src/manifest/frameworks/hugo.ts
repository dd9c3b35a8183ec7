/** @module Hugo: plain files in `public` or `publishDir`, built by Hugo's own program. */
import type { Framework } from "./types.ts";

export const hugo: Framework = {
  id: "hugo",
  name: "Hugo",
  packages: [],
  configFiles: [
    "hugo.toml",
    "hugo.yaml",
    "hugo.yml",
    "hugo.json",
    "config/_default/hugo.toml",
    "config/_default/hugo.yaml",
  ],
  configIdentifies: true,
  standalone: true,
  build: "hugo",
  dev: "hugo server",
  outputDirs: ["public"],
  inspect: ({ config }) => {
    const written = /^\s*["']?publishDir["']?\s*[:=]\s*["']?([^"'\s,#]{1,256})/im;
    const publishDir = written.exec(config?.text ?? "")?.[1];
    const toolchains = ["hugo"];
    return publishDir === undefined ? { toolchains } : { toolchains, outputDirs: [publishDir] };
  },
};
