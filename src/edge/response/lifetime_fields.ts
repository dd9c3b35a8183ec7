/** @module Header fields that control how long a response is cached. */
import { type HeaderEdit, isLifetimeField } from "../../rules/mod.ts";
import type { HeaderList } from "../messages/header_list.ts";

const FORBIDS = /(?:^|[\s,])no-(?:store|cache)(?=[\s,=]|$)/i;
/** The start of a date in `Expires`; any other value, such as 0, is in the past (RFC 9111, 5.3). */
const DATE = /^[A-Za-z]/;
const GRANTS =
  /(?:^|[\s,])(?:immutable|(?:max-age|s-maxage|stale-while-revalidate|stale-if-error)\s*=\s*"?0*[1-9])/i;

/** Returns whether an edit can extend caching by setting a lifetime or removing a limit. */
export function prolongs(name: string, edit: HeaderEdit): boolean {
  if (!isLifetimeField(name)) return false;
  if (edit.type === "remove") return true;
  return name === "expires"
    ? DATE.test(edit.value)
    : !FORBIDS.test(edit.value) && GRANTS.test(edit.value);
}

/**
 * Restricts caching to the visitor's browser, which must revalidate. Used for content that not
 * everyone may see.
 */
export function keptPrivate(headers: HeaderList): HeaderList {
  const isKept = !headers.some(([name, value]) =>
    name === "cache-control" && /(?:^|[\s,])no-store(?=[\s,=]|$)/i.test(value)
  );
  const value = isKept ? "private, no-cache" : "no-store";
  return [...headers.filter(([name]) => !isLifetimeField(name)), ["cache-control", value]];
}
