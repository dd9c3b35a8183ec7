/** @module Jekyll: plain files in `_site` or `destination`. */
import type { Framework, ProjectFacts } from "./types.ts";

const GEM = /^\s*gem\s+["'](?:jekyll|github-pages)["']/m;

const BUNDLE = "BUNDLE_PATH=vendor/bundle";

async function isJekyll({ reader }: ProjectFacts): Promise<boolean> {
  if (GEM.test(await reader.readText("Gemfile") ?? "")) return true;
  if (!await reader.exists("_config.yml")) return false;
  return await reader.exists("_posts") || await reader.exists("_layouts");
}

export const jekyll: Framework = {
  id: "jekyll",
  name: "Jekyll",
  packages: [],
  configFiles: ["_config.yml"],
  applies: isJekyll,
  standalone: true,
  build: "jekyll build",
  dev: "jekyll serve",
  outputDirs: ["_site"],
  buildVariables: { JEKYLL_ENV: "production" },
  inspect: async ({ reader, config }) => {
    const destination = /^destination:\s*["']?([^"'\s#]{1,256})/m.exec(config?.text ?? "")?.[1];
    const hasGems = GEM.test(await reader.readText("Gemfile") ?? "");
    return {
      toolchains: hasGems ? ["ruby", "bundler"] : ["jekyll"],
      ...(hasGems
        ? { build: `${BUNDLE} bundle install --quiet && ${BUNDLE} bundle exec jekyll build` }
        : {}),
      ...(destination === undefined ? {} : { outputDirs: [destination] }),
    };
  },
};
