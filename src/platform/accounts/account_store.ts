/**
 * Users, workspaces and memberships in Deno KV.
 *
 * @module
 */
import * as z from "zod";
import { ROLES } from "../../contract/identity.ts";
import { SIGN_UP_METHODS } from "../../contract/accounts.ts";
import {
  commitWithRetries,
  keys,
  type Page,
  readAll,
  readPage,
  readRecord,
} from "../core/store/mod.ts";
import { accountKeys } from "./account_keys.ts";
import type { ApiKeyRecord } from "./api_keys/api_key.ts";
import type { Operation, RecordStore } from "../../store/mod.ts";

export const userRecord = z.object({
  id: z.string(),
  name: z.string(),
  /** In the form of `canonicalEmail()`. */
  email: z.string().nullable(),
  signUpMethod: z.enum(SIGN_UP_METHODS).default("email"),
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
  userId: z.string(),
  role: z.enum(ROLES),
  joinedAt: z.number(),
});
export type MembershipRecord = z.infer<typeof membershipRecord>;

/** An email address in its one spelling: trimmed, normalized (NFKC) and in lower case. */
export function canonicalEmail(email: string): string {
  return email.trim().normalize("NFKC").toLowerCase();
}

/** Sets a membership under both of its keys: by user and by workspace. */
export function setMembership(
  operation: Operation,
  membership: MembershipRecord,
): Operation {
  const { workspaceId, userId } = membership;
  return operation
    .set(keys.membership(userId, workspaceId), membership)
    .set(accountKeys.member(workspaceId, userId), membership)
    .set(accountKeys.membersGuard(workspaceId), true);
}

export interface FirstAccount {
  readonly user: UserRecord;
  readonly workspace: WorkspaceRecord;
  readonly apiKey: ApiKeyRecord;
}

export class AccountStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /** Stores the first owner, workspace and key, unless there is an owner already. */
  async createFirst({ user, workspace, apiKey }: FirstAccount): Promise<boolean> {
    const owner = keys.meta("owner");
    const operation = this.#kv.atomic()
      .check({ key: owner, versionstamp: null })
      .set(owner, user.id)
      .set(keys.user(user.id), user)
      .set(keys.workspace(workspace.id), workspace)
      .set(keys.workspaceBySlug(workspace.slug), workspace.id)
      .set(keys.apiKey(apiKey.id), apiKey)
      .set(keys.apiKeyByHash(apiKey.hash), apiKey.id)
      .set(accountKeys.workspaceApiKey(workspace.id, apiKey.id), apiKey);
    const { id: workspaceId, createdAt: joinedAt } = workspace;
    setMembership(operation, { workspaceId, userId: user.id, role: "owner", joinedAt });
    return (await operation.commit()).ok;
  }

  /** Id of the platform's first user. */
  async ownerId(): Promise<string | undefined> {
    return (await readRecord(this.#kv, keys.meta("owner"), z.string()))?.value;
  }

  async findUser(id: string): Promise<UserRecord | undefined> {
    return (await readRecord(this.#kv, keys.user(id), userRecord))?.value;
  }

  async findUserByEmail(email: string): Promise<UserRecord | undefined> {
    const id = await readRecord(this.#kv, accountKeys.userByEmail(email), z.string());
    return id === undefined ? undefined : await this.findUser(id.value);
  }

  async findWorkspace(id: string): Promise<WorkspaceRecord | undefined> {
    return (await readRecord(this.#kv, keys.workspace(id), workspaceRecord))?.value;
  }

  /** Id of the workspace of a slug; it never changes. */
  async findWorkspaceId(slug: string): Promise<string | undefined> {
    return (await readRecord(this.#kv, keys.workspaceBySlug(slug), z.string()))?.value;
  }

  /** Stores a new workspace with its owner; false where the slug is taken. */
  async createWorkspace(workspace: WorkspaceRecord, ownerId: string): Promise<boolean> {
    const slug = keys.workspaceBySlug(workspace.slug);
    const operation = this.#kv.atomic()
      .check({ key: slug, versionstamp: null })
      .set(slug, workspace.id)
      .set(keys.workspace(workspace.id), workspace);
    const { id: workspaceId, createdAt: joinedAt } = workspace;
    setMembership(operation, { workspaceId, userId: ownerId, role: "owner", joinedAt });
    return (await operation.commit()).ok;
  }

  async renameWorkspace(id: string, name: string): Promise<WorkspaceRecord | undefined> {
    const key = keys.workspace(id);
    const { result } = await commitWithRetries(this.#kv, [key], async () => {
      const current = await readRecord(this.#kv, key, workspaceRecord);
      const operation = this.#kv.atomic();
      if (current === undefined) return { operation, result: undefined };
      const result = { ...current.value, name };
      operation.check({ key, versionstamp: current.versionstamp }).set(key, result);
      return { operation, result };
    });
    return result;
  }

  async findMembership(
    userId: string,
    workspaceId: string,
  ): Promise<MembershipRecord | undefined> {
    return (await readRecord(this.#kv, keys.membership(userId, workspaceId), membershipRecord))
      ?.value;
  }

  memberships(
    userId: string,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<Page<MembershipRecord>> {
    return readPage(this.#kv, keys.memberships(userId), { schema: membershipRecord, ...page });
  }

  members(
    workspaceId: string,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<Page<MembershipRecord>> {
    return readPage(this.#kv, accountKeys.members(workspaceId), {
      schema: membershipRecord,
      ...page,
    });
  }

  /**
   * Changes or (`undefined`) removes one membership. `change` sees all members
   * as they are at that moment, and may throw.
   */
  async changeMember(
    workspaceId: string,
    userId: string,
    change: (
      member: MembershipRecord | undefined,
      all: readonly MembershipRecord[],
    ) => MembershipRecord | undefined,
  ): Promise<MembershipRecord | undefined> {
    const guard = accountKeys.membersGuard(workspaceId);
    const { result } = await commitWithRetries(this.#kv, [guard], async () => {
      const { versionstamp } = await this.#kv.get(guard);
      const prefix = accountKeys.members(workspaceId);
      const entries = await Array.fromAsync(readAll(this.#kv, prefix, membershipRecord));
      const all = entries.map(({ value }) => value);
      const result = change(all.find((member) => member.userId === userId), all);
      const operation = this.#kv.atomic().check({ key: guard, versionstamp });
      if (result !== undefined) return { operation: setMembership(operation, result), result };
      operation
        .delete(keys.membership(userId, workspaceId))
        .delete(accountKeys.member(workspaceId, userId))
        .set(guard, true);
      return { operation, result };
    });
    return result;
  }
}
