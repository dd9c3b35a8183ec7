/** The life cycle of a device authorization (RFC 8628, 3.5). Pure. @module */
import { DEVICE_CODE_SECONDS } from "../../../contract/device.ts";
import type { DeviceGrant, GrantOutcome } from "./types.ts";

/**
 * How long an expired code is reported as expired, in milliseconds. After that, it is reported as
 * unknown.
 */
export const REMEMBER_EXPIRED_MS = 60 * 60 * 1000;

/** How long a CLI can still fetch its token after a late approval, in milliseconds. */
const FETCH_MS = 60_000;

interface NewGrant {
  readonly deviceHash: string;
  readonly userHash: string;
  readonly clientId: string | null;
  readonly tool: string;
  readonly address: string;
  readonly country: string | null;
  readonly scope: "read" | "write";
}

export function startGrant(wanted: NewGrant, now: number): DeviceGrant {
  return {
    ...wanted,
    state: "pending",
    createdAt: now,
    expiresAt: now + DEVICE_CODE_SECONDS * 1000,
  };
}

export function isOpen(grant: DeviceGrant, now: number): boolean {
  return grant.state === "pending" && now < grant.expiresAt;
}

/** Approves a grant. Returns `undefined` if the grant is not open. */
export function approveGrant(
  grant: DeviceGrant,
  given: { readonly userId: string; readonly workspaceId: string; readonly now: number },
): DeviceGrant | undefined {
  if (!isOpen(grant, given.now)) return undefined;
  const { userId, workspaceId, now } = given;
  const fetchBefore = Math.max(grant.expiresAt, now + FETCH_MS);
  return { ...grant, state: "approved", userId, workspaceId, fetchBefore };
}

/** Denies a grant. Returns `undefined` if the grant is not open. */
export function denyGrant(grant: DeviceGrant, now: number): DeviceGrant | undefined {
  return isOpen(grant, now) ? { ...grant, state: "denied" } : undefined;
}

/**
 * Returns whether a client may poll a grant. A grant started with a `client_id` belongs to that
 * client.
 */
function isClientOf(grant: DeviceGrant, clientId: string | undefined): boolean {
  return grant.clientId === null || grant.clientId === clientId;
}

/**
 * Decides the outcome of a poll. A code counts as unknown if it has been used, expired long ago or
 * belongs to another client.
 */
export function pollGrant(
  grant: DeviceGrant | undefined,
  { now, clientId }: { readonly now: number; readonly clientId: string | undefined },
): { readonly outcome: GrantOutcome; readonly next: DeviceGrant | undefined } {
  if (
    grant === undefined || !isClientOf(grant, clientId) || grant.state === "used" ||
    now >= grant.expiresAt + REMEMBER_EXPIRED_MS
  ) {
    return { outcome: { type: "unknown" }, next: grant };
  }
  const end = grant.state === "approved" ? grant.fetchBefore : grant.expiresAt;
  if (now >= end) return { outcome: { type: "expired" }, next: grant };
  if (grant.state === "approved") {
    const { userId, workspaceId, fetchBefore: _, ...rest } = grant;
    const { scope } = grant;
    return {
      outcome: { type: "token", userId, workspaceId, scope },
      next: { ...rest, state: "used" },
    };
  }
  return { outcome: { type: grant.state }, next: grant };
}
