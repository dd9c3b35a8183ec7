/** @module Formats who can visit previews, for people. */
import type { PreviewAccess } from "../../contract/previews.ts";
import type { Protection } from "../../lib/protection.ts";
import { printable } from "../terminal/format.ts";

const MEANINGS: Readonly<Record<Protection, string>> = {
  off: "anyone can visit",
  members: "previews are for members",
  password: "previews are for members and for anyone with the password",
  all: "previews and production are for members",
};

/** Formats one line for each fact. */
export function formatAccess(access: PreviewAccess): string {
  const { maintenance } = access;
  const { protection, hasPassword, hasBypassKey, allowCidrs, exemptPaths, exemptOptions } = access;
  const list = (texts: readonly string[]) =>
    texts.length === 0 ? "none" : texts.map(printable).join(", ");
  return [
    `protection    ${protection} (${MEANINGS[protection]})`,
    `password      ${hasPassword ? "set" : "none"}`,
    `bypass key    ${hasBypassKey ? "set" : "none"}`,
    `allowed IPs   ${list(allowCidrs)}`,
    `exempt paths  ${list(exemptPaths)}${exemptOptions ? ", and OPTIONS requests" : ""}`,
    `maintenance   ${
      maintenance === null
        ? "off"
        : `on since ${maintenance.since}; allowed ${list(maintenance.allowCidrs)}`
    }`,
  ].join("\n");
}
