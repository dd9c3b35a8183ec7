/**
 * Users, workspaces, memberships and API keys in Deno KV.
 *
 * @module
 */
import { z } from "zod";
import { ROLES } from "../../contract/mod.ts";
import { keys } from "../store/keys.ts";
import { readRecord } from "../store/records.ts";
import { type ApiKeyRecord, apiKeyRecord } from "./api_key.ts";

export const userRecord = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  createdAt: z.number(),
});
export type UserRecord = z.infer<typeof userRecord>;

export const workspaceRecord = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  createdAt: z.number(),
});
export type WorkspaceRecord = z.infer<typeof workspaceRecord>;

export const membershipRecord = z.object({
  workspaceId: z.string(),
  role: z.enum(ROLES),
});
export type MembershipRecord = z.infer<typeof membershipRecord>;

export interface FirstAccount {
  readonly user: UserRecord;
  readonly workspace: WorkspaceRecord;
  readonly apiKey: ApiKeyRecord;
}

export class AccountStore {
  constructor(private readonly kv: Deno.Kv) {}

  /** Stores the first owner, workspace and key, unless there is an owner already. */
  async createFirst({ user, workspace, apiKey }: FirstAccount): Promise<boolean> {
    const owner = keys.meta("owner");
    const result = await this.kv.atomic()
      .check({ key: owner, versionstamp: null })
      .set(owner, user.id)
      .set(keys.user(user.id), user)
      .set(keys.workspace(workspace.id), workspace)
      .set(keys.workspaceBySlug(workspace.slug), workspace.id)
      .set(keys.membership(user.id, workspace.id), {
        workspaceId: workspace.id,
        role: "owner",
      })
      .set(keys.apiKey(apiKey.id), apiKey)
      .set(keys.apiKeyByHash(apiKey.hash), apiKey.id)
      .commit();
    return result.ok;
  }

  async hasOwner(): Promise<boolean> {
    return (await this.kv.get(keys.meta("owner"))).versionstamp !== null;
  }

  async findApiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    const id = await readRecord(this.kv, keys.apiKeyByHash(hash), z.string());
    if (id === undefined) return undefined;
    return (await readRecord(this.kv, keys.apiKey(id.value), apiKeyRecord))?.value;
  }

  async findUser(id: string): Promise<UserRecord | undefined> {
    return (await readRecord(this.kv, keys.user(id), userRecord))?.value;
  }

  async findWorkspace(id: string): Promise<WorkspaceRecord | undefined> {
    return (await readRecord(this.kv, keys.workspace(id), workspaceRecord))?.value;
  }

  async findMembership(
    userId: string,
    workspaceId: string,
  ): Promise<MembershipRecord | undefined> {
    const record = await readRecord(
      this.kv,
      keys.membership(userId, workspaceId),
      membershipRecord,
    );
    return record?.value;
  }
}
