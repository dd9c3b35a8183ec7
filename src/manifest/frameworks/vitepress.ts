/**
 * @module VitePress: plain files in `.vitepress/dist` below the VitePress folder, which is often
 * `docs`.
 */
import { hasWord, textProperty } from "./config_text.ts";
import type { Framework, FrameworkFacts, FrameworkFinding } from "./types.ts";

const FOLDER = /\bvitepress build ([\w./-]+)/;

async function folderOf({ reader, buildScript }: FrameworkFacts): Promise<string> {
  const named = FOLDER.exec(buildScript ?? "")?.[1]?.replace(/^\.\/|\/$/g, "");
  if (named !== undefined && named !== ".") return `${named}/`;
  const inDocs = !(await reader.exists(".vitepress")) && await reader.exists("docs/.vitepress");
  return inDocs && named === undefined ? "docs/" : "";
}

async function inspect(facts: FrameworkFacts): Promise<FrameworkFinding> {
  const folder = await folderOf(facts);
  const outDir = textProperty(facts.config?.text ?? "", "outDir");
  const outputDirs = [
    ...(outDir === undefined ? [] : [`${folder}${outDir}`]),
    `${folder}.vitepress/dist`,
  ];
  const docs = folder === "" ? "" : ` ${folder.slice(0, -1)}`;
  const isClean = hasWord(facts.config?.text ?? "", "cleanUrls", "true");
  const urls = isClean ? {} : { urls: { cleanUrls: false } };
  return { ...urls, outputDirs, build: `vitepress build${docs}`, dev: `vitepress dev${docs}` };
}

export const vitepress: Framework = {
  id: "vitepress",
  name: "VitePress",
  packages: ["vitepress"],
  configFiles: ["", "docs/"].flatMap((folder) =>
    ["ts", "mts", "js", "mjs"].map((type) => `${folder}.vitepress/config.${type}`)
  ),
  build: "vitepress build",
  dev: "vitepress dev",
  outputDirs: [".vitepress/dist", "docs/.vitepress/dist"],
  inspect,
};
