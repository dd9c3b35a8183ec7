/**
 * A request that a condition matches, made up from the condition itself: with
 * it a claim about a rule can be proven by trying.
 *
 * @module
 */
import type { DescribedRequest } from "../facts.ts";
import type { GlobToken, RuntimeCondition, RuntimeLeaf, RuntimePath } from "../types.ts";

/** Stands for a host that no rule names. */
export const UNNAMED_HOST = "svc-witness.invalid";

/** Stands for any text; no rule is likely to name it. */
const ANY_TEXT = "svc-witness";

export interface Witness extends DescribedRequest {
  readonly host: string;
  /** Path and query. */
  readonly target: string;
}

function textOf(token: GlobToken): string {
  switch (token.type) {
    case "text":
      return token.text;
    case "one":
      return "w";
    default:
      return ANY_TEXT;
  }
}

function pathOf(path: RuntimePath | undefined): string {
  if (path === undefined) return `/${ANY_TEXT}`;
  return path.type === "glob" ? (path.tokens ?? []).map(textOf).join("") : path.value;
}

const pairsOf = (texts: Readonly<Record<string, string>> | undefined): [string, string][] =>
  Object.entries(texts ?? {});

function headersOf(leaf: RuntimeLeaf): Record<string, string> {
  const cookies = pairsOf(leaf.cookies).map(([name, value]) => `${name}=${value}`).join("; ");
  return { ...leaf.headers, ...(cookies === "" ? {} : { cookie: cookies }) };
}

/** Header text that a request can carry as it stands. */
const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Makes up a request for a normalized condition; `undefined` where it can not be
 * written down. Whether the condition matches it is for the caller to see.
 */
export function witnessOf(condition: RuntimeCondition): Witness | undefined {
  const leaf: RuntimeLeaf = { ...condition.any?.[0], ...condition };
  const headers = headersOf(leaf);
  if (!Object.values(headers).every((value) => PLAIN.test(value))) return undefined;
  const query = new URLSearchParams(pairsOf(leaf.query)).toString();
  const host = leaf.host ?? UNNAMED_HOST;
  const target = `${pathOf(leaf.path)}${query === "" ? "" : `?${query}`}`;
  const [method] = leaf.methods ?? [];
  const [country] = leaf.geo ?? [];
  const [asn] = leaf.asn ?? [];
  const ip = leaf.sourceIpCidrs?.[0]?.replace(/\/.*$/, "");
  return {
    method: method === undefined || leaf.methods?.includes("GET") ? "GET" : method,
    url: `http://${host}${target}`,
    host,
    target,
    headers,
    ...(country === undefined ? {} : { country }),
    ...(asn === undefined ? {} : { asn }),
    ...(ip === undefined ? {} : { ip }),
    ...(leaf.device === undefined ? {} : { device: leaf.device }),
  };
}
