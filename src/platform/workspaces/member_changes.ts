/** Decides which changes to a workspace's members are allowed. Pure. @module */
import type { Role } from "../../contract/identity.ts";

interface Member {
  readonly userId: string;
  readonly role: Role;
}

/**
 * Returns whether the workspace still has an owner after a member gets another role, or leaves
 * (`null`).
 */
export function keepsOwner(
  members: readonly Member[],
  change: { readonly userId: string; readonly role: Role | null },
): boolean {
  return change.role === "owner" ||
    members.some(({ userId, role }) => role === "owner" && userId !== change.userId);
}
