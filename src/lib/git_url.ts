/**
 * @module Addresses of git repositories: https, ssh (as a URL or as `user@host:path`) and local
 * paths. Nothing else is accepted, because git supports forms that run programs (`ext::`), and a
 * URL could look like an option.
 */

/** The address of a repository, in a form that git cannot misread. */
export type GitAddress =
  | {
    readonly transport: "http";
    readonly scheme: "http" | "https";
    readonly url: string;
    /** A hostname, or an IP address without brackets. */
    readonly host: string;
    readonly port: number;
    /** Scheme, host and port as written. Credentials are valid only for this origin. */
    readonly origin: string;
  }
  | {
    readonly transport: "ssh";
    readonly url: string;
    readonly host: string;
    readonly port: number;
    readonly origin: string;
  }
  | { readonly transport: "local"; readonly path: string; readonly origin: null };

type GitUrlResult =
  | { readonly ok: true; readonly address: GitAddress }
  | { readonly ok: false; readonly problem: string };

/** The default port of each scheme. */
export const USUAL_PORTS = { http: 80, https: 443, ssh: 22 } as const;

const HOST = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])`;
const USER = String.raw`[A-Za-z0-9_][A-Za-z0-9._-]*`;
const HTTP = new RegExp(`^(https?)://([^/?#]*)(?:/.*)?$`, "i");
const HTTP_AUTHORITY = new RegExp(`^${HOST}(?::\\d{1,5})?$`);
const SSH = new RegExp(`^ssh://(?:(${USER})@)?(${HOST}(?::\\d{1,5})?)/[^-].*$`, "i");
const SCP = new RegExp(`^(?:${USER}@)(${HOST}):(?![-/]{2}|-)[^:].*$`);

// deno-lint-ignore no-control-regex -- matches control characters on purpose
const CONTROL = /[\x00-\x1f\x7f]/;

/** Characters that no address needs, and that could end a line or hide text. */
// deno-lint-ignore no-control-regex -- matches control characters on purpose
const UNSAFE = /[\x00-\x20\x7f-\x9f\u2028\u2029]/;

const NO_PASSWORD = "Must not contain a user name or password: set them with " +
  "`svc projects git-credentials`";
const EXAMPLES =
  "Must be a URL or path such as https://host/owner/repo.git, git@host:owner/repo.git or " +
  "/srv/repo.git";

const fault = (problem: string): GitUrlResult => ({ ok: false, problem });
const found = (address: GitAddress): GitUrlResult => ({ ok: true, address });

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, "");

/** Parses a repository's URL, or returns the problem with it. */
export function parseGitUrl(text: string): GitUrlResult {
  if (text.startsWith("/")) {
    return CONTROL.test(text)
      ? fault("Must not contain control characters")
      : found({ transport: "local", path: text, origin: null });
  }
  if (UNSAFE.test(text)) return fault("Must not contain spaces or control characters");
  const http = HTTP.exec(text);
  if (http !== null) return parseHttp(text, http[2]!);
  if (/^ssh:\/\/[^/]*:[^/]*@/i.test(text)) return fault(NO_PASSWORD);
  const ssh = SSH.exec(text);
  if (ssh !== null) return parseSsh(text, ssh[2]!);
  const host = SCP.exec(text)?.[1];
  if (host !== undefined) return found(scpAddress(text, host));
  return /^file:\/\/\/[^?#]*$/i.test(text) ? parseFile(text) : fault(EXAMPLES);
}

function parseHttp(text: string, authority: string): GitUrlResult {
  if (authority.includes("@")) return fault(NO_PASSWORD);
  const url = HTTP_AUTHORITY.test(authority) ? URL.parse(text) : null;
  if (url === null) return fault("Must have a host");
  const scheme = url.protocol === "https:" ? "https" : "http";
  return found({
    transport: "http",
    scheme,
    url: `${scheme}://${url.host}${url.pathname}${url.search}`,
    host: withoutBrackets(url.hostname),
    port: url.port === "" ? USUAL_PORTS[scheme] : Number(url.port),
    origin: `${scheme}://${authority.toLowerCase()}`,
  });
}

function parseSsh(text: string, authority: string): GitUrlResult {
  const url = URL.parse(text);
  if (url === null) return fault("Must have a host");
  const user = url.username === "" ? "" : `${url.username}@`;
  return found({
    transport: "ssh",
    url: `ssh://${user}${url.host}${url.pathname}`,
    host: withoutBrackets(url.hostname),
    port: url.port === "" ? USUAL_PORTS.ssh : Number(url.port),
    origin: `ssh://${authority.toLowerCase()}`,
  });
}

/**
 * Returns `user@host:path` unchanged, because its path can be relative to the user's home
 * directory.
 */
function scpAddress(text: string, host: string): GitAddress {
  return {
    transport: "ssh",
    url: text,
    host: withoutBrackets(host),
    port: USUAL_PORTS.ssh,
    origin: `ssh://${host.toLowerCase()}`,
  };
}

function parseFile(text: string): GitUrlResult {
  const path = URL.parse(text)?.pathname;
  return path === undefined || path.includes("%")
    ? fault("Must be the plain path of a local repository, such as /srv/repo.git")
    : found({ transport: "local", path, origin: null });
}
