/**
 * Addresses of git repositories: https, ssh (as a URL or as `user@host:path`)
 * and local paths. Nothing else is accepted: git knows forms that run programs
 * (`ext::`), and an address could be taken for an option.
 *
 * @module
 */

export type GitTransport = "http" | "ssh" | "local";

export interface GitAddress {
  readonly transport: GitTransport;
  /** Scheme, host and port, which credentials are meant for; null for a local path. */
  readonly origin: string | null;
}

export type GitUrlResult =
  | { readonly ok: true; readonly address: GitAddress }
  | { readonly ok: false; readonly problem: string };

const HOST = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])`;
const USER = String.raw`[A-Za-z0-9_][A-Za-z0-9._-]*`;
const HTTP = new RegExp(`^(https?)://([^/?#]*)(?:/.*)?$`, "i");
const HTTP_AUTHORITY = new RegExp(`^${HOST}(?::\\d{1,5})?$`);
const SSH = new RegExp(`^ssh://(?:(${USER})@)?(${HOST}(?::\\d{1,5})?)/[^-].*$`, "i");
const SCP = new RegExp(`^(?:${USER}@)(${HOST}):(?![-/]{2}|-)[^:].*$`);

/** Characters that no address needs: they could end a line or hide text. */
// deno-lint-ignore no-control-regex -- these are what is refused
const UNSAFE = /[\x00-\x20\x7f-\x9f\u2028\u2029]/;

const fault = (problem: string): GitUrlResult => ({ ok: false, problem });

/** Reads the address of a repository, or says what is wrong with it. */
export function parseGitUrl(text: string): GitUrlResult {
  if (text.startsWith("/")) {
    return text.includes("\0") || text.includes("\n")
      ? fault("Must hold no control characters")
      : { ok: true, address: { transport: "local", origin: null } };
  }
  if (UNSAFE.test(text)) return fault("Must hold no spaces and no control characters");
  const http = HTTP.exec(text);
  if (http !== null) return parseHttp(http[1]!.toLowerCase(), http[2]!);
  if (/^ssh:\/\/[^/]*:[^/]*@/i.test(text)) return fault(NO_PASSWORD);
  const ssh = SSH.exec(text);
  const host = ssh?.[2] ?? SCP.exec(text)?.[1];
  if (host !== undefined) {
    return { ok: true, address: { transport: "ssh", origin: `ssh://${host.toLowerCase()}` } };
  }
  if (/^file:\/\/\/[^?#]*$/i.test(text)) {
    return { ok: true, address: { transport: "local", origin: null } };
  }
  return fault(
    "Must be an address such as https://host/owner/repo.git, git@host:owner/repo.git or /srv/repo.git",
  );
}

const NO_PASSWORD = "Must hold no user name or password: give them with " +
  "`svc projects git-credentials`";

function parseHttp(scheme: string, authority: string): GitUrlResult {
  if (authority.includes("@")) return fault(NO_PASSWORD);
  if (!HTTP_AUTHORITY.test(authority)) return fault("Must name a host");
  return {
    ok: true,
    address: { transport: "http", origin: `${scheme}://${authority.toLowerCase()}` },
  };
}
