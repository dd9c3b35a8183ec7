/** @module Reads permissions, projects and expiry from a form. Pure. */
import { type Permission, PERMISSION_NAMES } from "../../contract/permissions.ts";
import type { Fields, SentForm } from "../layout/form.ts";
import type { Grant } from "./grant_fields.tsx";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The key lifetimes to choose from, in days. */
export const EXPIRY_DAYS = ["7", "30", "90", "365"] as const;

/** Field values other than a number of days. */
export const NEVER = "never";
export const AS_IT_IS = "as it is";

export function readGrant(form: SentForm): Grant & { readonly permissions: Permission[] } {
  const ticked = new Set(form.values("permissions"));
  return {
    permissions: PERMISSION_NAMES.filter((name) => ticked.has(name)),
    projects: form.fields.reach === "some" ? [...new Set(form.values("projects"))] : null,
  };
}

/** Returns why a grant is invalid; `undefined` if it is valid. */
export function grantProblem({ permissions, projects }: Grant): string | undefined {
  if (permissions.length === 0) return "Select at least one permission";
  return projects?.length === 0 ? "Select at least one project, or choose all projects" : undefined;
}

/** Returns when a key expires; `null` for never, `undefined` if the expiry does not change. */
export function readExpiry({ expires }: Fields, now: number): string | null | undefined {
  const days = EXPIRY_DAYS.find((each) => each === expires);
  if (days !== undefined) return new Date(now + Number(days) * DAY_MS).toISOString();
  return expires === NEVER ? null : undefined;
}
