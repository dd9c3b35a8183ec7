/**
 * Where a project's repository is, and whether the platform may go there. Pure
 * but for resolving a name.
 *
 * @module
 */
import { lookup } from "node:dns/promises";
import { isAbsolute, normalize, sep } from "node:path";
import { isPublicAddress } from "../../runtime/mod.ts";

/** A repository in a form that git takes for exactly this and nothing else. */
export type GitSource =
  | { readonly type: "http"; readonly url: string; readonly host: string; readonly port: number }
  | { readonly type: "ssh"; readonly url: string; readonly host: string; readonly port: number }
  | { readonly type: "local"; readonly path: string };

export type JudgedSource =
  | { readonly type: "ok"; readonly source: GitSource }
  /** `reason` is for people. */
  | { readonly type: "refused"; readonly reason: string };

export interface GitUrlRules {
  /** Private, local and reserved addresses, and plain HTTP, are allowed. */
  readonly allowPrivate: boolean;
  /** Folders of this machine below which local repositories may lie. */
  readonly localRoots: readonly string[];
}

/** `user@host:path`, as ssh's scp writes it. */
const SCP_FORM = /^(?:([A-Za-z0-9_][\w.-]*)@)?([A-Za-z0-9_][\w.-]*):(?![:-])(?!\/\/)(.+)$/;

/** Names of hosts and addresses; none of these characters means anything to a shell or to ssh. */
const HOST = /^(?:[A-Za-z0-9_](?:[\w.-]*\w)?|\[[0-9A-Fa-f:.]+\])$/;

const DEFAULT_SSH_PORT = 22;
const FIRST_FREE_PORT = 1024;

const USER = /^[A-Za-z0-9_][\w.-]*$/;

const refused = (reason: string) => ({ type: "refused" as const, reason });

const OUTSIDE =
  "Local repositories must lie below a folder that the platform's operator named with --git-root";

function isBelow(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const folder = normalize(root).replace(/\/+$/, "");
    return path === folder || path.startsWith(folder + sep);
  });
}

function judgeLocal(text: string, rules: GitUrlRules): JudgedSource {
  const path = normalize(text);
  return isBelow(path, rules.localRoots)
    ? { type: "ok", source: { type: "local", path } }
    : refused(OUTSIDE);
}

/** Well-known ports other than the usual one belong to services that speak no git. */
function refuseService(port: number, usual: number, rules: GitUrlRules): JudgedSource | undefined {
  if (rules.allowPrivate || port === usual || port >= FIRST_FREE_PORT) return undefined;
  return refused(`The git URL must use port ${usual}, or one from ${FIRST_FREE_PORT} on`);
}

function judgeSsh(url: URL, rules: GitUrlRules): JudgedSource {
  if (url.password !== "") return refused("The git URL must have no password");
  const { hostname, port, username } = url;
  if (!HOST.test(hostname)) return refused("The host of the git URL is not valid");
  if (username !== "" && !USER.test(username)) {
    return refused("The user of the git URL is not valid");
  }
  const number = port === "" ? DEFAULT_SSH_PORT : Number(port);
  const service = refuseService(number, DEFAULT_SSH_PORT, rules);
  if (service !== undefined) return service;
  const at = username === "" ? "" : `${username}@`;
  const source = {
    type: "ssh" as const,
    url: `ssh://${at}${url.host}${url.pathname}`,
    host: bare(hostname),
    port: number,
  };
  return { type: "ok", source };
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, "");

/** An absolute path is a folder, everything else a URL or ssh's short form. */
export function judgeGitUrl(text: string, rules: GitUrlRules): JudgedSource {
  // deno-lint-ignore no-control-regex -- control characters have no place in an address
  if (/[\x00-\x20\x7f]/.test(text) && !isAbsolute(text) || /[\x00-\x1f\x7f]/.test(text)) {
    return refused("The git URL must have no spaces and no control characters");
  }
  if (isAbsolute(text)) return judgeLocal(text, rules);
  const url = URL.parse(text);
  if (url?.protocol === "file:" && url.hostname === "" && !url.pathname.includes("%")) {
    return judgeLocal(url.pathname, rules);
  }
  if (url?.protocol === "https:" || url?.protocol === "http:") return judgeHttp(url, rules);
  if (url?.protocol === "ssh:") return judgeSsh(url, rules);
  const host = SCP_FORM.exec(text)?.[2];
  if (host !== undefined) {
    // Kept as it is: a relative path of this form begins in the user's home.
    return { type: "ok", source: { type: "ssh", url: text, host, port: DEFAULT_SSH_PORT } };
  }
  return refused("The git URL must be an https or ssh address, or an absolute path");
}

function judgeHttp(url: URL, rules: GitUrlRules): JudgedSource {
  if (url.username !== "" || url.password !== "") {
    return refused("The git URL must have no credentials: store them with the project");
  }
  if (url.protocol === "http:" && !rules.allowPrivate) {
    return refused("The git URL must be https: http would show the code to everyone on the way");
  }
  if (!HOST.test(url.hostname)) return refused("The host of the git URL is not valid");
  const usual = url.protocol === "https:" ? 443 : 80;
  const port = url.port === "" ? usual : Number(url.port);
  const service = refuseService(port, usual, rules);
  if (service !== undefined) return service;
  const clean = `${url.protocol}//${url.host}${url.pathname}${url.search}`;
  return {
    type: "ok",
    source: { type: "http", url: clean, host: bare(url.hostname), port },
  };
}

/** Addresses of a name; rejects where there are none. */
export type LookUp = (host: string) => Promise<readonly string[]>;

export const systemLookUp: LookUp = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

export type PinnedAddress =
  | {
    readonly type: "ok";
    /** A folder by its path without links. */
    readonly source: GitSource;
    /** The address that the connection must go to; missing where the source is a folder. */
    readonly address?: string;
  }
  | { readonly type: "refused"; readonly reason: string };

/** Where the links of a path lead must lie below an allowed folder as well. */
async function pinFolder(path: string, { localRoots }: GitUrlRules): Promise<PinnedAddress> {
  const real = (each: string) => Deno.realPath(each).catch(() => undefined);
  const folder = await real(path);
  if (folder === undefined) return refused(`There is no repository at ${path}`);
  const roots = (await Promise.all(localRoots.map(real))).filter((root) => root !== undefined);
  return isBelow(folder, roots)
    ? { type: "ok", source: { type: "local", path: folder } }
    : refused(OUTSIDE);
}

/**
 * Resolves the host once and judges every address, so that git can be told
 * to connect to the one that was judged: a second resolution leads nowhere else.
 */
export async function pinAddress(
  source: GitSource,
  rules: GitUrlRules,
  lookUp: LookUp,
): Promise<PinnedAddress> {
  if (source.type === "local") return await pinFolder(source.path, rules);
  let addresses: readonly string[];
  try {
    addresses = await lookUp(source.host);
  } catch {
    addresses = [];
  }
  const [address] = addresses;
  if (address === undefined) {
    return { type: "refused", reason: `The name ${source.host} has no address` };
  }
  if (rules.allowPrivate || addresses.every(isPublicAddress)) {
    return { type: "ok", source, address };
  }
  return {
    type: "refused",
    reason: `${source.host} is not public: the platform reaches it with ` +
      "--allow-private-upstreams only",
  };
}
