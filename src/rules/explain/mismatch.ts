/**
 * Why a condition does not hold, in words: the field, what it wants and what
 * the request has.
 *
 * @module
 */
import { type ConditionField, headerHas, LeafMatcher } from "../compile/condition.ts";
import type { RequestFacts } from "../facts.ts";
import { formatIp } from "../ip_address.ts";
import type { RuntimeCondition, RuntimeLeaf } from "../types.ts";

/** The first field of a condition that does not hold. */
export interface Mismatch {
  /** Such as `path`, `headers.x-key`, `any[0].host` or `not`. */
  readonly field: string;
  readonly wanted: string;
  readonly seen: string;
}

/** Lists in messages are cut to this many items. */
const MAX_LISTED = 5;

function list(values: readonly (string | number)[]): string {
  if (values.length === 0) return "one of an empty list";
  const shown = values.slice(0, MAX_LISTED).join(", ");
  const hidden = values.length - MAX_LISTED;
  return `${values.length === 1 ? "" : "one of "}${shown}${
    hidden > 0 ? ` and ${hidden} more` : ""
  }`;
}

const known = (value: string | number | undefined): string =>
  value === undefined ? "unknown" : String(value);

type Texts = Readonly<Record<string, string>>;

function pairMismatch(
  field: "headers" | "query" | "cookies",
  wanted: Texts,
  seenOf: (name: string) => readonly string[],
  holds: (name: string, value: string) => boolean,
): Mismatch {
  const [name, value] = Object.entries(wanted).find((pair) => !holds(...pair)) ?? ["", ""];
  const seen = seenOf(name);
  return {
    field: `${field}.${name}`,
    wanted: JSON.stringify(value),
    seen: seen.length === 0 ? "absent" : seen.map((text) => JSON.stringify(text)).join(", "),
  };
}

function leafMismatch(
  field: Exclude<ConditionField, "any" | "not">,
  leaf: RuntimeLeaf,
  facts: RequestFacts,
): Mismatch {
  switch (field) {
    case "path":
      return { field, wanted: `${leaf.path?.type} ${leaf.path?.value}`, seen: facts.path };
    case "methods":
      return { field, wanted: list(leaf.methods ?? []), seen: facts.method };
    case "host":
      return { field, wanted: leaf.host ?? "", seen: facts.host };
    case "headers": {
      const seenOf = (name: string) => [facts.header(name)].filter((text) => text !== undefined);
      const holds = (name: string, value: string) => headerHas(facts.header(name), value);
      return pairMismatch(field, leaf.headers ?? {}, seenOf, holds);
    }
    case "query":
    case "cookies": {
      const seenOf = (name: string) => field === "query" ? facts.query(name) : facts.cookie(name);
      const holds = (name: string, value: string) => seenOf(name).includes(value);
      return pairMismatch(field, leaf[field] ?? {}, seenOf, holds);
    }
    case "sourceIpCidrs": {
      const ip = facts.ip();
      const seen = ip === undefined ? "unknown" : formatIp(ip);
      return { field, wanted: list(leaf.sourceIpCidrs ?? []), seen };
    }
    case "geo":
      return { field, wanted: list(leaf.geo ?? []), seen: known(facts.country()) };
    case "asn":
      return { field, wanted: list(leaf.asn ?? []), seen: known(facts.asn()) };
    case "device":
      return { field, wanted: known(leaf.device), seen: known(facts.device()) };
  }
}

function anyMismatch(items: readonly RuntimeLeaf[], facts: RequestFacts): Mismatch {
  const reasons = items.slice(0, MAX_LISTED).map((leaf, index) => {
    const failing = new LeafMatcher(leaf).failing(facts);
    if (failing === undefined) return "";
    const { field, wanted, seen } = leafMismatch(failing, leaf, facts);
    return `any[${index}].${field} wants ${wanted} and sees ${seen}`;
  });
  return { field: "any", wanted: `one of ${items.length} alternatives`, seen: reasons.join("; ") };
}

/** Puts into words why the field of the condition does not hold. */
export function describeMismatch(
  field: ConditionField,
  condition: RuntimeCondition,
  facts: RequestFacts,
): Mismatch {
  if (field === "any") return anyMismatch(condition.any ?? [], facts);
  if (field !== "not") return leafMismatch(field, condition, facts);
  const fields = Object.keys(condition.not ?? {}).join(", ");
  return {
    field,
    wanted: "a request that the condition in not does not hold for",
    seen: fields === "" ? "it holds for every request" : `it holds: ${fields}`,
  };
}
