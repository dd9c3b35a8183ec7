/** Invitations in Deno KV. Only the hash of each token is stored. @module */
import * as z from "zod";
import { ROLES } from "../../contract/identity.ts";
import { accountKeys, type MembershipRecord, setMembership } from "../accounts/mod.ts";
import { RecordType, Table } from "../core/store/mod.ts";
import type { RecordStore } from "../../store/mod.ts";

/** How long an invitation is valid, in milliseconds. */
export const INVITATION_MS = 7 * 24 * 60 * 60 * 1000;

const invitationRecord = z.object({
  id: z.string(),
  workspaceId: z.string(),
  role: z.enum(ROLES),
  invitedBy: z.string(),
  hash: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
});
export type InvitationRecord = z.infer<typeof invitationRecord>;

const invitations = new RecordType({
  root: accountKeys.allInvitations(),
  schema: invitationRecord,
  parts: ({ workspaceId, id }) => [workspaceId, id],
  indices: {
    hash: {
      entries: ({ hash }) => [accountKeys.invitationByHash(hash)],
      holds: ["workspaceId", "id"],
    },
  },
  expireIn: INVITATION_MS,
});

export class InvitationStore extends Table<InvitationRecord, readonly [string, string], "hash"> {
  constructor(kv: RecordStore) {
    super(kv, invitations);
  }

  async findByHash(hash: string): Promise<InvitationRecord | undefined> {
    return await this.findBy("hash", accountKeys.invitationByHash(hash));
  }

  /**
   * Uses up an invitation, and adds the member. Returns `false` if the invitation was used in the
   * meantime.
   */
  async accept({ workspaceId, id }: InvitationRecord, member: MembershipRecord): Promise<boolean> {
    const found = await this.read(workspaceId, id);
    if (found === undefined) return false;
    const operation = this.kv.atomic();
    invitations.remove(operation, found);
    return (await setMembership(operation, member).commit()).ok;
  }
}
