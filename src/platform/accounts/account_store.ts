/** Users, workspaces and memberships in Deno KV. @module */
import * as z from "zod";
import { ROLES } from "../../contract/identity.ts";
import { SIGN_UP_METHODS } from "../../contract/accounts.ts";
import {
  commitWithRetries,
  keys,
  type Page,
  type PageRange,
  readAll,
  readRecord,
  RecordType,
  Table,
} from "../core/store/mod.ts";
import { accountKeys } from "./account_keys.ts";
import { type ApiKeyRecord, apiKeys } from "./api_keys/api_key.ts";
import type { Operation, RecordStore } from "../../store/mod.ts";

const userRecord = z.object({
  id: z.string(),
  name: z.string(),
  /** In the format of `canonicalEmail()`. */
  email: z.string().nullable(),
  signUpMethod: z.enum(SIGN_UP_METHODS).default("email"),
  createdAt: z.number(),
});
export type UserRecord = z.infer<typeof userRecord>;

const workspaceRecord = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  createdAt: z.number(),
});
export type WorkspaceRecord = z.infer<typeof workspaceRecord>;

const membershipRecord = z.object({
  workspaceId: z.string(),
  userId: z.string(),
  role: z.enum(ROLES),
  joinedAt: z.number(),
});
export type MembershipRecord = z.infer<typeof membershipRecord>;

/** Returns the canonical form of an email address: trimmed, normalized (NFKC) and lower case. */
export function canonicalEmail(email: string): string {
  return email.trim().normalize("NFKC").toLowerCase();
}

export const users = new RecordType({
  root: keys.allUsers(),
  schema: userRecord,
  parts: ({ id }) => [id],
  indices: {
    email: {
      entries: ({ email }) => email === null ? [] : [accountKeys.userByEmail(email)],
      holds: "id",
      unique: true,
    },
  },
});

const workspaces = new RecordType({
  root: keys.allWorkspaces(),
  schema: workspaceRecord,
  parts: ({ id }) => [id],
  indices: {
    slug: { entries: ({ slug }) => [keys.workspaceBySlug(slug)], holds: "id", unique: true },
  },
});

const memberships = new RecordType({
  root: keys.allMemberships(),
  schema: membershipRecord,
  parts: ({ userId, workspaceId }) => [userId, workspaceId],
  indices: {
    workspace: {
      entries: ({ workspaceId, userId }) => [accountKeys.member(workspaceId, userId)],
      holds: "copy",
    },
  },
});

/** Sets a membership. Concurrent changes to a workspace's members conflict. */
export function setMembership(operation: Operation, membership: MembershipRecord): Operation {
  memberships.set(operation, membership);
  return operation.set(accountKeys.membersGuard(membership.workspaceId), true);
}

interface FirstAccount {
  readonly user: UserRecord;
  readonly workspace: WorkspaceRecord;
  readonly apiKey: ApiKeyRecord;
}

export class AccountStore {
  readonly #kv: RecordStore;
  readonly users;
  readonly workspaces;
  readonly memberships;

  constructor(kv: RecordStore) {
    this.#kv = kv;
    this.users = new Table(kv, users);
    this.workspaces = new Table(kv, workspaces);
    this.memberships = new Table(kv, memberships);
  }

  /** Stores the first owner, workspace and key. Returns false if there already is an owner. */
  async createFirst({ user, workspace, apiKey }: FirstAccount): Promise<boolean> {
    const owner = keys.meta("owner");
    const operation = this.#kv.atomic()
      .check({ key: owner, versionstamp: null })
      .set(owner, user.id);
    users.set(operation, user);
    workspaces.set(operation, workspace);
    apiKeys.set(operation, apiKey);
    const { id: workspaceId, createdAt: joinedAt } = workspace;
    setMembership(operation, { workspaceId, userId: user.id, role: "owner", joinedAt });
    return (await operation.commit()).ok;
  }

  async ownerId(): Promise<string | undefined> {
    return (await readRecord(this.#kv, keys.meta("owner"), z.string()))?.value;
  }

  findUserByEmail(email: string): Promise<UserRecord | undefined> {
    return this.users.findBy("email", accountKeys.userByEmail(email));
  }

  async findWorkspaceId(slug: string): Promise<string | undefined> {
    return (await this.workspaces.findBy("slug", keys.workspaceBySlug(slug)))?.id;
  }

  /** Stores a new workspace with its owner. Returns false if the slug is taken. */
  async createWorkspace(workspace: WorkspaceRecord, ownerId: string): Promise<boolean> {
    const operation = this.#kv.atomic();
    workspaces.insert(operation, workspace);
    const { id: workspaceId, createdAt: joinedAt } = workspace;
    setMembership(operation, { workspaceId, userId: ownerId, role: "owner", joinedAt });
    return (await operation.commit()).ok;
  }

  members(workspaceId: string, page: PageRange): Promise<Page<MembershipRecord>> {
    return this.memberships.listCopies(accountKeys.members(workspaceId), page);
  }

  /** Changes a membership, or removes it if `change` returns `undefined`. `change` may throw. */
  async changeMember(
    workspaceId: string,
    userId: string,
    change: (
      member: MembershipRecord | undefined,
      all: readonly MembershipRecord[],
    ) => MembershipRecord | undefined,
  ): Promise<MembershipRecord | undefined> {
    const guard = accountKeys.membersGuard(workspaceId);
    return await commitWithRetries(this.#kv, [guard], async (operation) => {
      const { versionstamp } = await this.#kv.get(guard);
      const prefix = accountKeys.members(workspaceId);
      const entries = await Array.fromAsync(readAll(this.#kv, prefix, membershipRecord));
      const all = entries.map(({ value }) => value);
      const member = all.find((each) => each.userId === userId);
      const result = change(member, all);
      operation.check({ key: guard, versionstamp });
      if (result !== undefined) setMembership(operation, result);
      else if (member !== undefined) {
        memberships.drop(operation, member);
        operation.set(guard, true);
      }
      return result;
    });
  }
}
