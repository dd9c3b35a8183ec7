/** A commit's submodules: their entries in `.gitmodules`, and their URLs. Pure. @module */
import type { GitAddress } from "../../lib/git_url.ts";
import { gitAddress } from "../projects/mod.ts";

export interface Gitlink {
  /** The path, relative to the repository that contains the submodule. */
  readonly path: string;
  /** All 40 digits of the commit's SHA. */
  readonly sha: string;
}

/** An entry of `git ls-tree -r -l -z`. */
export interface TreeEntry {
  readonly mode: string;
  readonly sha: string;
  readonly size: number | undefined;
  readonly path: string;
}

const ENTRY = /^(\d{6}) \w+ ([0-9a-f]{40}) +(\d+|-)\t([^]+)$/;

/** Reads `git ls-tree -r -l -z`. */
export function readTree(listing: string): TreeEntry[] {
  return listing.split("\0").flatMap((line) => {
    const [, mode, sha, size, path] = ENTRY.exec(line) ?? [];
    if (mode === undefined || sha === undefined || path === undefined) return [];
    return [{ mode, sha, path, size: size === "-" ? undefined : Number(size) }];
  });
}

/** A submodule's mode. */
export const GITLINK = "160000";

/** Reads the URL of each path in `.gitmodules`, from `git config --list -z`. */
export function readModules(listing: string): ReadonlyMap<string, string> {
  const modules = new Map<string, { path?: string; url?: string }>();
  for (const entry of listing.split("\0")) {
    const end = entry.indexOf("\n");
    const [, name, field] = /^submodule\.(.+)\.(path|url)$/s.exec(entry.slice(0, end)) ?? [];
    if (name === undefined || field === undefined) continue;
    modules.set(name, { ...modules.get(name), [field]: entry.slice(end + 1) });
  }
  const urls = new Map<string, string>();
  for (const { path, url } of modules.values()) {
    if (path !== undefined && url !== undefined) urls.set(path.replace(/\/+$/, ""), url);
  }
  return urls;
}

/** Returns whether git may write a submodule to the path. */
export const isSafePath = (path: string): boolean =>
  path.split("/").every((part) => part !== "" && !/^(?:\.|\.\.|\.git)$/i.test(part)) &&
  // deno-lint-ignore no-control-regex -- matches control characters on purpose
  !/[\x00-\x1f\x7f\\]/.test(path);

/**
 * Resolves a submodule's URL against the URL of the repository that contains it (see
 * gitmodules(5)).
 */
export function resolveModuleUrl(base: string | undefined, url: string): string | undefined {
  if (!/^\.\.?\//.test(url)) return url;
  if (base === undefined) return undefined;
  let [from, rest] = [base.replace(/\/+$/, ""), url];
  for (;;) {
    if (rest.startsWith("./")) rest = rest.slice(2);
    else if (rest.startsWith("../")) {
      rest = rest.slice(3);
      const cut = Math.max(from.lastIndexOf("/"), from.lastIndexOf(":"));
      if (cut <= 0 || from.slice(0, cut).endsWith("/")) return undefined;
      // `host:path` keeps its colon if the whole path is removed.
      from = from[cut] === ":" ? from.slice(0, cut + 1) : from.slice(0, cut);
    } else return from.endsWith(":") ? `${from}${rest}` : `${from}/${rest}`;
  }
}

/**
 * Converts an SSH URL to HTTPS if the project is on the same host and is fetched over HTTPS,
 * because there is no SSH key then.
 */
export function asOwnTransport(url: string, own: GitAddress | null): string {
  const address = gitAddress(url);
  if (address?.transport !== "ssh" || own?.transport !== "http" || address.host !== own.host) {
    return url;
  }
  const path = address.url.includes("://")
    ? new URL(address.url).pathname
    : `/${address.url.slice(address.url.indexOf(":") + 1)}`;
  return `${new URL(own.url).origin}${path}`;
}

/** Returns a URL without its username and password, for display. */
export const shownUrl = (url: string): string => url.replace(/^(\w+:\/\/)[^/@]*@/, "$1");
