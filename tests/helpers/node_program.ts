/**
 * Finds the Node and npm that framework projects need.
 *
 * @module
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { hear, isInstalled } from "../../scripts/_process.ts";
import { ROOT } from "../../scripts/_source_files.ts";

/** The major version of Node that the current versions of the frameworks need. */
const NODE_MAJOR = 24;

/** True if real projects can be installed and built. */
export const buildsProjects = isInstalled("npm");

/**
 * Returns the folder of a new enough version of Node in npx's cache; `undefined` if the machine's
 * own version is new enough.
 */
async function nodeFolder(cache: string): Promise<string | undefined> {
  const own = await hear(["node", "--version"]).catch(() => undefined);
  if (Number(/^v(\d+)/.exec(own?.stdout ?? "")?.[1] ?? 0) >= NODE_MAJOR) return undefined;
  const { code, stdout, stderr } = await hear(
    ["npx", "-y", "-p", `node@${NODE_MAJOR}`, "-c", "command -v node"],
    { env: { npm_config_cache: cache } },
  );
  assert.equal(code, 0, stderr);
  return dirname(stdout.trim());
}

/**
 * Returns variables for a project's commands: a search path with a version of Node that is new
 * enough, this machine's npm cache, and no telemetry.
 */
export async function nodeVariables(path: string): Promise<Record<string, string>> {
  const cache = Deno.env.get("npm_config_cache") ?? join(Deno.env.get("HOME") ?? "/", ".npm");
  const node = await nodeFolder(cache);
  return {
    PATH: node === undefined ? path : `${node}:${path}`,
    npm_config_cache: cache,
    npm_config_prefer_offline: "true",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
    ASTRO_TELEMETRY_DISABLED: "1",
    NUXT_TELEMETRY_DISABLED: "1",
    NEXT_TELEMETRY_DISABLED: "1",
    // A new Next.js project loads fonts from Google, which not every machine can reach.
    NEXT_FONT_GOOGLE_MOCKED_RESPONSES: join(ROOT, "fixtures", "frameworks", "next", "fonts.cjs"),
  };
}
