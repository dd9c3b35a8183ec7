/** @module Describes the permissions of a key or a publisher. Pure. */
import type { Permission } from "../../contract/permissions.ts";

const PHRASES: Readonly<Record<Exclude<Permission, "everything">, string>> = {
  "read": "read",
  "deploy-previews": "deploy previews of",
  "deploy-production": "deploy to production of",
  "rules": "change edge rules of",
  "variables": "set variables of",
};

const LIST = new Intl.ListFormat("en-GB");

/**
 * Returns a phrase such as "Can read and deploy previews of docs-site"; `reach` names the projects.
 */
export function grantText(permissions: readonly Permission[], reach: string): string {
  const phrases = permissions.flatMap((name) => name === "everything" ? [] : [PHRASES[name]]);
  return phrases.length < permissions.length
    ? `Full access to ${reach}`
    : `Can ${LIST.format(phrases)} ${reach}`;
}
