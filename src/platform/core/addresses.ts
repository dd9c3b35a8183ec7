/**
 * Host labels and URLs of deployments (design: "Serving contract"): `<project>-<shortid>`,
 * `<project>-git-<branch>` and `<project>` under the base domain.
 *
 * @module
 */
import { sha256Hex } from "../../lib/hash.ts";

/** Maximum length of a hostname's label, in characters (RFC 1035, 2.3.4). */
const MAX_LABEL = 63;
const HASH_LENGTH = 6;

const RESERVED = new Set(["www", "api", "app", "admin", "svc", "mail", "localhost", "cname"]);

/** Names that never exist in the public DNS (RFC 6761, RFC 6762, and ICANN's `internal`). */
const LOCAL_DOMAIN = /(?:^|\.)(?:localhost|test|local|internal|invalid)$/;

/**
 * Returns the host label for a branch. The label ends with a short hash if the branch name is not a
 * valid label, is too long, or is `taken`.
 */
export function branchLabel(
  project: string,
  branch: string,
  options: { readonly taken?: boolean } = {},
): string {
  const slug = branch.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  const plain = `${project}-git-${slug}`;
  if (slug === branch && plain.length <= MAX_LABEL && !options.taken) return plain;
  const hash = sha256Hex(`${project}\n${branch}`).slice(0, HASH_LENGTH);
  const head = plain.slice(0, MAX_LABEL - HASH_LENGTH - 1).replace(/-+$/, "");
  return `${head}-${hash}`;
}

interface AddressesBase {
  readonly protocol: "http:" | "https:";
  readonly domain: string;
  /** The port as written in URLs; empty for the default port. */
  readonly port: string;
}

/** Builds URLs with the platform's scheme, base domain and port. */
export class Addresses {
  readonly #suffix: string;

  readonly #base: AddressesBase;

  constructor(base: AddressesBase) {
    this.#base = base;
    this.#suffix = `.${base.domain}`;
  }

  get isPublic(): boolean {
    return !LOCAL_DOMAIN.test(this.#base.domain);
  }

  isReserved(label: string): boolean {
    return RESERVED.has(label);
  }

  url(label: string): string {
    const port = this.#base.port === "" ? "" : `:${this.#base.port}`;
    return `${this.#base.protocol}//${label}${this.#suffix}${port}`;
  }

  includes(hostname: string): boolean {
    return hostname.toLowerCase().endsWith(this.#suffix);
  }

  hostname(label: string): string {
    return `${label}${this.#suffix}`;
  }
}
