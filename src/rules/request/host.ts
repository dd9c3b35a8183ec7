/** @module Hostnames in canonical form: lowercase punycode, as browsers map them (UTS #46). */

/** Why a string is not a hostname, and what to write instead. */
export interface HostProblem {
  /** Text that completes "Use a hostname …". */
  readonly wanted: string;
  readonly hint?: string;
}

type HostResult = { readonly host: string } | { readonly problem: HostProblem };

const MAX_HOST = 253;
const MAX_LABEL = 63;

const refuse = (wanted: string, hint?: string): HostResult => ({
  problem: hint === undefined ? { wanted } : { wanted, hint },
});

function refusedPart(text: string): HostResult | undefined {
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text)) {
    return refuse("without a scheme", "Write only the part between // and the next /");
  }
  if (text.includes("@")) return refuse("without userinfo", "Remove everything up to the @");
  if (/[/\\?#]/.test(text)) {
    return refuse("without a path", "Use the condition's path field for the path");
  }
  if (text.includes("*")) {
    return refuse(
      "without a wildcard",
      "Write one rule for each host, or omit the host to match them all",
    );
  }
  if (/^[^[]*:/.test(text) || /\]:/.test(text)) return refuse("without a port");
  // deno-lint-ignore no-control-regex -- matches control characters on purpose
  if (/[\x00-\x20\x7f%]/.test(text)) return refuse("without spaces, control characters or %");
  return undefined;
}

function mapped(text: string): string | undefined {
  const url = URL.parse(`http://${text}/`);
  return url === null || url.port !== "" ? undefined : url.hostname;
}

/**
 * Returns the canonical form of a hostname or address, or the reason why it is invalid. One
 * trailing dot (the root of the DNS) is removed. Applying it twice has no further effect.
 */
export function canonicalHost(text: string): HostResult {
  const refused = refusedPart(text);
  if (refused !== undefined) return refused;
  const host = mapped(text)?.replace(/\.$/, "");
  if (host === undefined || host === "") {
    return refuse("that is valid", "Letters of any language, digits, hyphens and dots");
  }
  if (host.startsWith("[")) return { host };
  const labels = host.split(".");
  if (labels.includes("")) return refuse("without empty labels", "Remove the double dot");
  if (host.length > MAX_HOST) return refuse(`of at most ${MAX_HOST} characters in punycode`);
  if (labels.some((label) => label.length > MAX_LABEL)) {
    return refuse(`with labels of at most ${MAX_LABEL} characters in punycode`);
  }
  return { host };
}

/** Returns the canonical spelling of a valid host, or any other text unchanged. */
export function hostOrSame(text: string): string {
  const result = canonicalHost(text);
  return "host" in result ? result.host : text;
}

/** Splits `host:port`, in which the port is optional. */
export function splitAuthority(authority: string): { host: string; port?: string } {
  const found = /^(.*?):([0-9]*)$/.exec(authority);
  if (found === null || authority.endsWith("]")) return { host: authority };
  return { host: found[1] ?? "", port: found[2] ?? "" };
}
