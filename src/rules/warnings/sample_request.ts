/** @module Creates sample requests that match a condition, to test claims about a rule. */
import { ANY_TEXT } from "../conditions/path.ts";
import { CONDITION_NAMES, type ConditionName, CONDITIONS } from "../conditions/conditions.ts";
import type { SampleParts } from "../conditions/condition_type.ts";
import type { DescribedRequest } from "../request/facts.ts";
import type { RuntimeCondition, RuntimeLeaf } from "../rule_set/types.ts";

/** A sample host that no rule names. */
export const UNNAMED_HOST = "svc-sample.invalid";

export interface SampleRequest extends DescribedRequest {
  readonly host: string;
  /** Path and query. */
  readonly target: string;
}

function partsOf<F extends ConditionName>(field: F, leaf: RuntimeLeaf): SampleParts {
  const value = leaf[field];
  return value === undefined ? {} : CONDITIONS[field].sample(value);
}

/** Header text that a request can contain literally. */
const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Creates a sample request for a normalized condition, or returns `undefined` if that is
 * impossible. The caller must check that the request matches the condition.
 */
export function sampleRequest(
  { any, not: _, ...root }: RuntimeCondition,
): SampleRequest | undefined {
  const leaf: RuntimeLeaf = { ...any?.[0], ...root };
  const parts: SampleParts = Object.assign(
    {},
    ...CONDITION_NAMES.map((field) => partsOf(field, leaf)),
  );
  const { method = "GET", host = UNNAMED_HOST, path = `/${ANY_TEXT}`, ip, country, asn, device } =
    parts;
  const cookie = Object.entries(parts.cookies ?? {}).map((pair) => pair.join("=")).join("; ");
  const headers = { ...parts.headers, ...(cookie === "" ? {} : { cookie }) };
  if (!Object.values(headers).every((value) => PLAIN.test(value))) return undefined;
  const query = new URLSearchParams(parts.query).toString();
  const target = `${path}${query === "" ? "" : `?${query}`}`;
  return {
    method,
    url: `http://${host}${target}`,
    host,
    target,
    headers,
    country,
    asn,
    ip,
    device,
  };
}
