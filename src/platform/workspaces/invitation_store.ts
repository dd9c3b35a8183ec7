/**
 * Invitations in Deno KV. Only the hash of each token is stored.
 *
 * @module
 */
import * as z from "zod";
import { ROLES } from "../../contract/identity.ts";
import { accountKeys, type MembershipRecord, setMembership } from "../accounts/mod.ts";
import { type Page, readPage, readRecord } from "../core/store/mod.ts";
import type { RecordStore } from "../../store/mod.ts";

/** An invitation has to be accepted within a week. */
export const INVITATION_MS = 7 * 24 * 60 * 60 * 1000;

export const invitationRecord = z.object({
  id: z.string(),
  workspaceId: z.string(),
  role: z.enum(ROLES),
  invitedBy: z.string(),
  hash: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
});
export type InvitationRecord = z.infer<typeof invitationRecord>;

const place = z.object({ workspaceId: z.string(), id: z.string() });

export class InvitationStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  async add(invitation: InvitationRecord): Promise<void> {
    const { workspaceId, id, hash } = invitation;
    const expireIn = INVITATION_MS;
    await this.#kv.atomic()
      .set(accountKeys.invitation(workspaceId, id), invitation, { expireIn })
      .set(accountKeys.invitationByHash(hash), { workspaceId, id }, { expireIn })
      .commit();
  }

  async find(hash: string): Promise<InvitationRecord | undefined> {
    const found = await readRecord(this.#kv, accountKeys.invitationByHash(hash), place);
    if (found === undefined) return undefined;
    const key = accountKeys.invitation(found.value.workspaceId, found.value.id);
    return (await readRecord(this.#kv, key, invitationRecord))?.value;
  }

  list(
    workspaceId: string,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<Page<InvitationRecord>> {
    return readPage(this.#kv, accountKeys.invitations(workspaceId), {
      schema: invitationRecord,
      ...page,
    });
  }

  /** Withdraws and returns an invitation; `undefined` where the workspace has none of that id. */
  async remove(workspaceId: string, id: string): Promise<InvitationRecord | undefined> {
    const key = accountKeys.invitation(workspaceId, id);
    const found = await readRecord(this.#kv, key, invitationRecord);
    if (found === undefined) return undefined;
    await this.#kv.atomic().delete(key).delete(accountKeys.invitationByHash(found.value.hash))
      .commit();
    return found.value;
  }

  /** Uses up an invitation and adds the member; false where it has been used in the meantime. */
  async accept(invitation: InvitationRecord, member: MembershipRecord): Promise<boolean> {
    const key = accountKeys.invitation(invitation.workspaceId, invitation.id);
    const { versionstamp } = await this.#kv.get(key);
    if (versionstamp === null) return false;
    const operation = this.#kv.atomic()
      .check({ key, versionstamp })
      .delete(key)
      .delete(accountKeys.invitationByHash(invitation.hash));
    return (await setMembership(operation, member).commit()).ok;
  }
}
