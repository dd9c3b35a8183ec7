/**
 * The `Vary` field of an answer and the secondary keys that follow from it
 * (RFC 9111, 4.1).
 *
 * @module
 */
import { memoize } from "../../lib/memo.ts";
import { type HeaderList, isFieldName, joinedHeader } from "../messages/mod.ts";
import type { CacheReader, StoredResponse, VaryField } from "./types.ts";

type HasHeader = Pick<CacheReader, "header">;

/**
 * Names in `Vary`, lower case, each once; `*` alone where no other request can
 * match: it is among them, or one of them can not name a field.
 */
export function varyNames(headers: HeaderList): readonly string[] {
  const field = joinedHeader(headers, "vary");
  if (field === undefined) return [];
  const names = field.toLowerCase().split(",").map((name) => name.trim())
    .filter((name) => name !== "");
  const isMatchable = names.every((name) => name !== "*" && isFieldName(name));
  return isMatchable ? [...new Set(names)].sort() : ["*"];
}

/** Codings have no order of their own; weights stay with theirs. */
function sortCodings(value: string): string {
  return value.toLowerCase().split(",").map((coding) => coding.replaceAll(/\s+/g, ""))
    .filter((coding) => coding !== "").sort().join(",");
}

/** Browsers send few different lists, and the same one with each request. */
const rememberedCodings = memoize(sortCodings, 256);

/** A request field in the one form in which it is compared. */
export function varyValue(name: string, request: HasHeader): string | null {
  const value = request.header(name);
  if (value === undefined) return null;
  if (name === "accept-encoding") return rememberedCodings(value);
  return value.split(",").map((member) => member.trim()).join(",");
}

/** The secondary key of an answer to this request. */
export function varyFields(headers: HeaderList, request: HasHeader): readonly VaryField[] {
  return varyNames(headers).map((name) => ({ name, value: varyValue(name, request) }));
}

/** Whether a stored answer was chosen by the same fields as this request has. */
export function matchesVary({ vary }: Pick<StoredResponse, "vary">, request: HasHeader): boolean {
  for (const { name, value } of vary) if (varyValue(name, request) !== value) return false;
  return true;
}
