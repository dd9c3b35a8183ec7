/**
 * @module Patterns for the URLs from which images may be loaded:
 * `https://cdn.example.com/photos/**`.
 */

/** Maximum length of a pattern, in characters. */
export const MAX_REMOTE_PATTERN = 500;

interface RemotePattern {
  readonly scheme: "http" | "https";
  /**
   * Labels of the hostname in reverse order. The last entry can be a wildcard: `*` for exactly one
   * label, `**` for one or more.
   */
  readonly labels: readonly string[];
  /** Empty for the scheme's default port. */
  readonly port: string;
  /** A glob over the path: `*` within a segment, `**` across segments. */
  readonly path: string;
}

const SHAPE = /^(?:(https?):\/\/)?([a-z0-9*._-]+)(?::(\d{1,5}))?(\/[\x21-\x7e]*)?$/i;

const LABEL = /^(?:[a-z0-9_]|[a-z0-9_][a-z0-9_-]*[a-z0-9_])$/;

const DEFAULT_PORTS = { http: "80", https: "443" } as const;

/** Maximum number of wildcards in a pattern's path. */
const MAX_WILDCARDS = 8;

function parseLabels(host: string): readonly string[] | undefined {
  const labels = host.toLowerCase().split(".").reverse();
  const fit = labels.every((label, at) =>
    LABEL.test(label) || (at > 0 && at === labels.length - 1 && /^\*\*?$/.test(label))
  );
  return fit ? labels : undefined;
}

/**
 * Parses a pattern: scheme (`https` by default), host, port and path. Only the first label of the
 * host may be a wildcard. Without a path, every path matches.
 *
 * @returns `undefined` if the pattern is invalid
 */
export function parseRemotePattern(text: string): RemotePattern | undefined {
  const match = text.length > MAX_REMOTE_PATTERN ? null : SHAPE.exec(text);
  if (match === null) return undefined;
  const [, given = "https", host = "", port = "", path = "/**"] = match;
  const scheme = given.toLowerCase() === "http" ? "http" : "https";
  const labels = parseLabels(host);
  if (labels === undefined || Number(port) > 65_535 || /[?#]/.test(path)) return undefined;
  if ((path.match(/\*+/g)?.length ?? 0) > MAX_WILDCARDS) return undefined;
  return { scheme, labels, port: port === DEFAULT_PORTS[scheme] ? "" : port, path };
}

function matchesHost({ labels }: RemotePattern, hostname: string): boolean {
  const found = hostname.split(".").reverse();
  const wildcard = labels.at(-1);
  if (found.length < labels.length) return false;
  if (wildcard !== "**" && found.length !== labels.length) return false;
  return labels.every((label, at) => label === "*" || label === "**" || label === found[at]);
}

/**
 * Returns whether a path matches a glob. Each position in the glob is tried once at each position
 * in the path, so the time is bounded by the product of the two lengths.
 */
export function matchesPathGlob(glob: string, path: string): boolean {
  let reached = new Uint8Array(path.length + 1);
  reached[0] = 1;
  for (let at = 0; at < glob.length; at++) {
    const next = new Uint8Array(path.length + 1);
    if (glob[at] !== "*") {
      for (let to = 1; to <= path.length; to++) {
        if (reached[to - 1] === 1 && path[to - 1] === glob[at]) next[to] = 1;
      }
    } else {
      const crosses = glob[at + 1] === "*";
      if (crosses) at++;
      for (let to = 0; to <= path.length; to++) {
        const goesOn = to > 0 && next[to - 1] === 1 && (crosses || path[to - 1] !== "/");
        if (reached[to] === 1 || goesOn) next[to] = 1;
      }
    }
    reached = next;
  }
  return reached[path.length] === 1;
}

/** Returns whether a pattern allows a URL. The query is ignored. */
export function matchesRemote(pattern: RemotePattern, url: URL): boolean {
  return url.protocol === `${pattern.scheme}:` && url.port === pattern.port &&
    matchesHost(pattern, url.hostname) && matchesPathGlob(pattern.path, url.pathname);
}
