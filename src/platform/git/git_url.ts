/** Decides whether the platform may connect to a project's repository. @module */
import { lookup } from "node:dns/promises";
import { normalize, sep } from "node:path";
import { type GitAddress, parseGitUrl, USUAL_PORTS } from "../../lib/git_url.ts";
import { isPublicAddress } from "../../runtime/mod.ts";

export type JudgedSource =
  | { readonly type: "ok"; readonly source: GitAddress }
  /** `reason` is human-readable. */
  | { readonly type: "refused"; readonly reason: string };

export interface GitUrlRules {
  /** Whether private, local and reserved addresses, and plain HTTP, are allowed. */
  readonly allowPrivate: boolean;
  /** Folders on this machine that may contain local repositories. */
  readonly localRoots: readonly string[];
}

const FIRST_FREE_PORT = 1024;

const refused = (reason: string) => ({ type: "refused" as const, reason });

const OUTSIDE =
  "Local repositories must be inside a folder that the operator allowed with --git-root";

function isBelow(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const folder = normalize(root).replace(/\/+$/, "");
    return path === folder || path.startsWith(folder + sep);
  });
}

function judgeLocal(
  source: Extract<GitAddress, { readonly transport: "local" }>,
  rules: GitUrlRules,
): JudgedSource {
  const path = normalize(source.path);
  return isBelow(path, rules.localRoots)
    ? { type: "ok", source: { ...source, path } }
    : refused(OUTSIDE);
}

/** Checks the transport and port. The host is checked when it is resolved. */
export function judgeGitUrl(text: string, rules: GitUrlRules): JudgedSource {
  const parsed = parseGitUrl(text);
  if (!parsed.ok) {
    return refused(
      `The git URL ${parsed.problem.charAt(0).toLowerCase()}${parsed.problem.slice(1)}`,
    );
  }
  const source = parsed.address;
  if (source.transport === "local") return judgeLocal(source, rules);
  if (rules.allowPrivate) return { type: "ok", source };
  const scheme = source.transport === "ssh" ? "ssh" : source.scheme;
  if (scheme === "http") {
    return refused("The git URL must use https, because http does not protect your code");
  }
  // The other well-known ports belong to services that do not speak git's protocols.
  const usual = USUAL_PORTS[scheme];
  return source.port === usual || source.port >= FIRST_FREE_PORT
    ? { type: "ok", source }
    : refused(`The git URL must use port ${usual}, or a port from ${FIRST_FREE_PORT}`);
}

/** Returns a readable reason why the platform refuses a git URL. Does not use the network. */
export function refuseGitUrl(text: string, rules: GitUrlRules): string | undefined {
  const judged = judgeGitUrl(text, rules);
  return judged.type === "refused" ? judged.reason : undefined;
}

/** Returns a name's IP addresses. Rejects if the name has none. */
export type LookUp = (host: string) => Promise<readonly string[]>;

export const systemLookUp: LookUp = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

type PinnedAddress =
  | {
    readonly type: "ok";
    readonly source: GitAddress;
    /** The address to connect to; missing if the source is a folder. */
    readonly address?: string;
  }
  | { readonly type: "refused"; readonly reason: string };

/** Checks that the real path is also under an allowed folder. */
async function pinFolder(path: string, { localRoots }: GitUrlRules): Promise<PinnedAddress> {
  const real = (each: string) => Deno.realPath(each).catch(() => undefined);
  const folder = await real(path);
  if (folder === undefined) return refused(`There is no repository at ${path}`);
  const roots = (await Promise.all(localRoots.map(real))).filter((root) => root !== undefined);
  return isBelow(folder, roots)
    ? { type: "ok", source: { transport: "local", path: folder, origin: null } }
    : refused(OUTSIDE);
}

/** Resolves the host and checks each IP address. Git connects to the checked address. */
export async function pinAddress(
  source: GitAddress,
  rules: GitUrlRules,
  lookUp: LookUp,
): Promise<PinnedAddress> {
  if (source.transport === "local") return await pinFolder(source.path, rules);
  let addresses: readonly string[];
  try {
    addresses = await lookUp(source.host);
  } catch {
    addresses = [];
  }
  const [address] = addresses;
  if (address === undefined) {
    return { type: "refused", reason: `The host ${source.host} has no address` };
  }
  if (rules.allowPrivate || addresses.every(isPublicAddress)) {
    return { type: "ok", source, address };
  }
  return {
    type: "refused",
    reason:
      `${source.host} is not public. The operator can allow it with --allow-private-upstreams`,
  };
}
