/** @module Describes the permissions of a key or a publisher. Pure. */
import type { Permission } from "../../contract/permissions.ts";

const PHRASES: Readonly<Record<Exclude<Permission, "everything">, string>> = {
  "read": "read",
  "deploy-previews": "deploy previews for",
  "deploy-production": "deploy to production for",
  "rules": "change edge rules for",
  "variables": "set variables for",
};

const LIST = new Intl.ListFormat("en-GB");

/**
 * Returns a phrase such as "Can read and deploy previews for docs-site"; `reach` names the
 * projects.
 */
export function grantText(permissions: readonly Permission[], reach: string): string {
  const phrases = permissions.flatMap((name) => name === "everything" ? [] : [PHRASES[name]]);
  return phrases.length < permissions.length
    ? `Full access to ${reach}`
    : `Can ${LIST.format(phrases)} ${reach}`;
}
