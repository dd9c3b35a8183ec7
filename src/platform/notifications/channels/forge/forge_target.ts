/** The forge of a project's repository, and the URL of its API. Pure. @module */
import type { Forge } from "../../../../contract/projects.ts";
import { parseGitUrl } from "../../../../lib/git_url.ts";
import type { GitCredentials } from "../../../projects/mod.ts";
import { bitbucketCloud, bitbucketServer } from "./bitbucket.ts";
import type { Dialect, ForgeTarget } from "./dialect.ts";
import { gitea, github } from "./github.ts";
import { gitlab } from "./gitlab.ts";

/** Public forges: the kind of each forge, and the URL of its API if that has its own host. */
const KNOWN: Readonly<Record<string, { readonly forge: Forge; readonly api?: string }>> = {
  "github.com": { forge: "github", api: "https://api.github.com" },
  "gitlab.com": { forge: "gitlab" },
  "bitbucket.org": { forge: "bitbucket", api: "https://api.bitbucket.org/2.0" },
  "codeberg.org": { forge: "gitea" },
  "gitea.com": { forge: "gitea" },
};

/** Hostnames that reveal the kind of forge, such as `gitlab.example.com`. */
const SPEAKING: readonly (readonly [RegExp, Forge])[] = [
  [/^github\./, "github"],
  [/^gitlab\./, "gitlab"],
  [/^(?:gitea|forgejo|codeberg)\./, "gitea"],
  [/^bitbucket\./, "bitbucket"],
];

const API_PATHS: Readonly<Record<Forge, string>> = {
  github: "/api/v3",
  gitlab: "/api/v4",
  gitea: "/api/v1",
  bitbucket: "/rest",
};

const CLOUD = /\/2\.0$/;

const forgeOf = (host: string): Forge | undefined =>
  KNOWN[host]?.forge ?? SPEAKING.find(([pattern]) => pattern.test(host))?.[1];

/** Returns the base path of the forge's pages, if the forge is not at the root of its host. */
function folderOf(api: string, forge: Forge): string {
  const { pathname } = new URL(api);
  const path = API_PATHS[forge];
  return pathname.endsWith(path) ? pathname.slice(0, -path.length) : "";
}

/** Returns the repository's address in the API; `undefined` if the forge is unknown. */
export function forgeTarget(
  gitUrl: string | null,
  credentials: GitCredentials | undefined,
): ForgeTarget | undefined {
  if (credentials?.type !== "https" || gitUrl === null) return undefined;
  const parsed = parseGitUrl(gitUrl);
  if (!parsed.ok || parsed.address.transport !== "http") return undefined;
  const { host, url } = parsed.address;
  const forge = credentials.forge ?? forgeOf(host);
  if (forge === undefined) return undefined;
  const { origin, pathname } = new URL(url);
  const api = (credentials.apiUrl ?? KNOWN[host]?.api ?? `${origin}${API_PATHS[forge]}`)
    .replace(/\/+$/, "");
  const folder = folderOf(api, forge);
  const inside = pathname.startsWith(`${folder}/`) ? pathname.slice(folder.length) : pathname;
  const path = inside.replace(/\/+$/, "").replace(/\.git$/, "").split("/").filter((part) =>
    part !== ""
  )
    .map(decoded);
  if (path.length < 2 || path.some((part) => part === "." || part === "..")) return undefined;
  return { forge, api, path, username: credentials.username, token: credentials.token };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Returns the dialect of a forge's API. Bitbucket Cloud and Bitbucket Data Center have different
 * dialects.
 */
export function dialectOf({ forge, api }: ForgeTarget): Dialect {
  if (forge === "bitbucket") return CLOUD.test(api) ? bitbucketCloud : bitbucketServer;
  return { github, gitlab, gitea }[forge];
}
