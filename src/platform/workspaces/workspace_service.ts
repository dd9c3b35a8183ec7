/** Workspaces and their members. @module */
import type { Invitation, Member } from "../../contract/workspaces.ts";
import type { Role, Workspace } from "../../contract/identity.ts";
import { uuidV7 } from "../../lib/ids.ts";
import {
  type AccountParts,
  hashToken,
  type MembershipRecord,
  mintToken,
  type WorkspaceRecord,
} from "../accounts/mod.ts";
import type { AuditLog } from "../audit/mod.ts";
import type { Caller, Person, SelfCaller } from "../core/access/mod.ts";
import { type Client, Failure } from "../core/http/mod.ts";
import type { Page, PageRange } from "../core/store/mod.ts";
import { INVITATION_MS, type InvitationRecord, type InvitationStore } from "./invitation_store.ts";
import { keepsOwner } from "./member_changes.ts";

/** An invitation as displayed on the page that its link opens, before it is accepted. */
export interface OpenInvitation {
  readonly workspace: { readonly slug: string; readonly name: string };
  readonly role: Role;
  readonly invitedBy: string;
}

/** Maximum number of workspaces per account. */
const MAX_WORKSPACES = 100;

const iso = (time: number): string => new Date(time).toISOString();

function toWire({ id, slug, name, createdAt }: WorkspaceRecord, role: Role): Workspace {
  return { id, slug, name, role, createdAt: iso(createdAt) };
}

function invitationToWire(record: InvitationRecord): Invitation {
  const { id, role, invitedBy, createdAt, expiresAt } = record;
  return { id, role, invitedBy, createdAt: iso(createdAt), expiresAt: iso(expiresAt) };
}

export class WorkspaceService {
  readonly #parts: AccountParts;
  readonly #invitations: InvitationStore;
  readonly #audit: Pick<AuditLog, "record">;

  constructor(parts: AccountParts, invitations: InvitationStore, audit: Pick<AuditLog, "record">) {
    this.#parts = parts;
    this.#invitations = invitations;
    this.#audit = audit;
  }

  /**
   * Lists workspaces. An API key sees only its own workspace. A CLI token sees all names, for the
   * next login.
   */
  async list(own: SelfCaller, page: PageRange): Promise<Page<Workspace>> {
    const { accounts } = this.#parts;
    const { credential, userId, workspaceId } = own;
    if (credential.type === "api_key" && workspaceId !== null) {
      const seen = await this.#parts.memory.workspaceOf(userId, workspaceId);
      const workspace = seen && await accounts.workspaces.find(workspaceId);
      return { items: workspace ? [toWire(workspace, seen.role)] : [], nextCursor: null };
    }
    const { items, nextCursor } = await accounts.memberships.list(userId, page);
    const shown = await Promise.all(items.map(async (membership) => {
      const workspace = await accounts.workspaces.find(membership.workspaceId);
      return workspace === undefined ? [] : [toWire(workspace, membership.role)];
    }));
    return { items: shown.flat(), nextCursor };
  }

  /** @throws {Failure} `conflict` if the slug is taken, or there are too many workspaces. */
  async create(
    person: Person,
    wanted: { readonly slug: string; readonly name: string },
  ): Promise<Workspace> {
    const { accounts, now, random } = this.#parts;
    const { slug, name } = wanted;
    const { items } = await accounts.memberships.list(person.user.id, { limit: MAX_WORKSPACES });
    if (items.length >= MAX_WORKSPACES) {
      throw new Failure(
        "conflict",
        `You have reached the maximum of ${MAX_WORKSPACES} workspaces: leave one first`,
      );
    }
    const workspace = { id: uuidV7(now, random), slug, name, createdAt: now() };
    if (!await accounts.createWorkspace(workspace, person.user.id)) {
      throw new Failure("conflict", `Workspace slug "${wanted.slug}" is taken. Choose another`);
    }
    this.#parts.memory.forgetAll();
    return toWire(workspace, "owner");
  }

  async rename(caller: Caller, name: string): Promise<Workspace> {
    const renamed = await this.#parts.accounts.workspaces.update(
      [caller.workspace.id],
      (workspace) => ({
        ...workspace,
        name,
      }),
    );
    if (renamed === undefined) throw new Failure("not_found", "Workspace does not exist");
    this.#parts.memory.forgetAll();
    return toWire(renamed, caller.workspace.role);
  }

  async members(caller: Caller, page: PageRange): Promise<Page<Member>> {
    const { items, nextCursor } = await this.#parts.accounts.members(caller.workspace.id, page);
    return { items: await Promise.all(items.map((each) => this.#memberToWire(each))), nextCursor };
  }

  /** @throws {Failure} `conflict` if the workspace would have no owner. */
  async changeRole(
    caller: Caller,
    userId: string,
    role: Role,
  ): Promise<{ readonly member: Member; readonly before: Role }> {
    let before = role;
    const changed = await this.#parts.accounts.changeMember(
      caller.workspace.id,
      userId,
      (member, all) => {
        if (member === undefined) throw noMember(userId);
        if (!keepsOwner(all, { userId, role })) throw lastOwner();
        before = member.role;
        return { ...member, role };
      },
    );
    this.#parts.memory.forgetAll();
    if (changed === undefined) throw noMember(userId);
    return { member: await this.#memberToWire(changed), before };
  }

  /** Removes and returns a member. The member's keys and tokens for the workspace stop working. */
  async remove(caller: Caller, userId: string, client: Client): Promise<Member> {
    const { accounts, credentials, memory, publishers, raise } = this.#parts;
    const { id: workspaceId } = caller.workspace;
    let removed: MembershipRecord | undefined;
    await accounts.changeMember(workspaceId, userId, (member, all) => {
      if (member === undefined) throw noMember(userId);
      if (!keepsOwner(all, { userId, role: null })) throw lastOwner();
      removed = member;
      return undefined;
    });
    memory.forgetAll();
    const distrusted = await publishers.removeOfMember(userId, workspaceId);
    const ended = await credentials.removeOfMember(userId, workspaceId);
    for (const { id } of distrusted) await credentials.removeOfPublisher(workspaceId, id);
    memory.forgetAll();
    for (const { name, prefix } of ended) {
      const detail = `API key "${name}" (${prefix}…) was revoked because its creator left the ` +
        `workspace`;
      await raise({ event: "security.api_key_revoked", userId, workspaceId, detail, client });
    }
    for (const { provider, repository } of distrusted) {
      const detail =
        `Trusted publisher ${provider} ${repository} was removed because the person who added it left the workspace`;
      await raise({ event: "security.publisher_removed", userId, workspaceId, detail, client });
    }
    if (removed === undefined) throw noMember(userId);
    return await this.#memberToWire(removed);
  }

  async invite(caller: Caller, role: Role): Promise<Invitation & { readonly url: string }> {
    const { now, random, publicOrigin } = this.#parts;
    const token = mintToken("invitation", random);
    const record: InvitationRecord = {
      id: uuidV7(now, random),
      workspaceId: caller.workspace.id,
      role,
      invitedBy: caller.user.id,
      hash: hashToken("invitation", token),
      createdAt: now(),
      expiresAt: now() + INVITATION_MS,
    };
    await this.#invitations.add(record);
    return { ...invitationToWire(record), url: `${publicOrigin}/invitation/${token}` };
  }

  async openInvitations(caller: Caller, page: PageRange): Promise<Page<Invitation>> {
    const { items, nextCursor } = await this.#invitations.list(caller.workspace.id, page);
    const open = items.filter(({ expiresAt }) => this.#parts.now() < expiresAt);
    return { items: open.map(invitationToWire), nextCursor };
  }

  /** Withdraws and returns an invitation. */
  async withdraw(caller: Caller, id: string): Promise<Invitation> {
    const removed = await this.#invitations.remove([caller.workspace.id, id]);
    if (removed !== undefined) return invitationToWire(removed);
    throw new Failure("not_found", `Invitation ${id} does not exist`);
  }

  /**
   * Finds the workspace and role for an invitation; `undefined` if it is used, expired or invalid.
   */
  async findInvitation(token: string, client: Client): Promise<OpenInvitation | undefined> {
    const found = await this.#valid(token, client);
    if (found === undefined) return undefined;
    const { workspace, invitation } = found;
    const inviter = await this.#parts.accounts.users.find(invitation.invitedBy);
    return {
      workspace: { slug: workspace.slug, name: workspace.name },
      role: invitation.role,
      invitedBy: inviter?.name ?? "",
    };
  }

  /** @throws {Failure} `not_found` if the invitation is used, expired or invalid. */
  async accept(person: Person, token: string, client: Client): Promise<Workspace> {
    const { accounts, now, memory } = this.#parts;
    const found = await this.#valid(token, client);
    if (found === undefined) throw invitationUsed();
    const { workspace, invitation } = found;
    const { id: workspaceId } = workspace;
    const userId = person.user.id;
    if (await accounts.memberships.find(userId, workspaceId) !== undefined) {
      throw new Failure("conflict", `You already belong to workspace "${workspace.slug}"`);
    }
    const member = { workspaceId, userId, role: invitation.role, joinedAt: now() };
    if (!await this.#invitations.accept(invitation, member)) throw invitationUsed();
    memory.forgetAll();
    const { user, credential } = person;
    await this.#audit.record({
      workspaceId,
      action: "acceptInvitation",
      path: "/v1/invitations/accept",
      project: null,
      requestId: null,
      address: client.address,
      target: { id: user.id, name: user.name },
      changes: [{ field: "role", from: null, to: member.role }],
      user: { id: user.id, name: user.name },
      credential: { type: credential.type, id: credential.id, name: credential.name },
    });
    return toWire(workspace, member.role);
  }

  /** Finds a valid invitation. Its creator must still be allowed to invite people. */
  async #valid(token: string, client: Client) {
    const { accounts, limits, now } = this.#parts;
    const guess = await limits.begin("link", client);
    const invitation = await this.#invitations.findByHash(hashToken("invitation", token));
    if (invitation === undefined || now() >= invitation.expiresAt) return undefined;
    const { workspaceId, invitedBy } = invitation;
    const inviter = await accounts.memberships.find(invitedBy, workspaceId);
    const workspace = await accounts.workspaces.find(workspaceId);
    if (inviter?.role !== "owner" || workspace === undefined) return undefined;
    guess.succeed();
    return { workspace, invitation };
  }

  async #memberToWire(member: MembershipRecord): Promise<Member> {
    const user = await this.#parts.accounts.users.find(member.userId);
    return {
      userId: member.userId,
      name: user?.name ?? "",
      email: user?.email ?? null,
      role: member.role,
      joinedAt: iso(member.joinedAt),
    };
  }
}

const noMember = (userId: string) =>
  new Failure("not_found", `User ${userId} is not a member of the workspace`);

const lastOwner = () =>
  new Failure(
    "conflict",
    "Cannot do this: the workspace must keep an owner. Add another owner " +
      "first",
  );

const invitationUsed = () =>
  new Failure("not_found", "Invitation cannot be used: it has expired, was used or was withdrawn");
