/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * Workspaces: the list, and of each its members, invitations and API keys.
 *
 * @module
 */
import {
  type ApiKey,
  type Invitation,
  type Member,
  type Role,
  ROLES,
  type Workspace,
} from "../contract/mod.ts";
import type { OpenInvitation } from "../platform/workspaces/mod.ts";
import { showPage } from "./document.tsx";
import type { Shown } from "./entry_pages.tsx";
import { EMPTY, type FormState } from "./form.ts";
import { type Around, EntryFrame, SettingsFrame } from "./frames.tsx";
import { Card, EndButton, Field, Form, MadeAndUsed, Moment, Notice, Trouble } from "./pieces.tsx";

export function workspacesPage(around: Around, shown: Shown & { readonly next: string }): Response {
  const { state = EMPTY, next, status, headers } = shown;
  const { workspaces, csrf } = around;
  return showPage(
    <SettingsFrame
      title="Workspaces"
      lead="A workspace holds projects, and the people and keys that may change them."
      around={around}
    >
      {workspaces.length === 0 ? null : (
        <section class="card" aria-label="Your workspaces">
          <ul class="items">
            {workspaces.map(({ slug, name, role }) => (
              <li>
                <a class="what" href={`/workspaces/${slug}`}>
                  <span>{name}</span>
                  <span class="mono">{slug}</span>
                </a>
                <span class="tag">{role}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Card
        title={workspaces.length === 0 ? "Make your first workspace" : "Make another"}
        id="make"
      >
        <div class="body">
          <Trouble state={state} />
          <Form action="/workspaces" csrf={csrf} hidden={{ next }}>
            <Field
              label="Name"
              name="name"
              state={state}
              autocomplete="organization"
              maxlength={100}
            />
            <Field
              label="Slug"
              name="slug"
              state={state}
              autocomplete="off"
              hint="For the tool and addresses: lower-case letters, digits and hyphens. It stays."
            />
            <div>
              <button type="submit">Make the workspace</button>
            </div>
          </Form>
        </div>
      </Card>
    </SettingsFrame>,
    {
      title: "Workspaces",
      ...(status === undefined ? {} : { status }),
      ...(headers === undefined ? {} : { headers }),
    },
  );
}

function RoleField(
  { id, chosen, label }: { readonly id: string; readonly chosen: Role; readonly label: string },
) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name="role">
        {ROLES.map((role) => (
          <option key={role} value={role} selected={role === chosen}>{role}</option>
        ))}
      </select>
    </div>
  );
}

export interface WorkspaceRoom {
  readonly workspace: Pick<Workspace, "slug" | "name" | "role">;
  readonly members: readonly Member[];
  /** What only owners see. */
  readonly owned:
    | { readonly invitations: readonly Invitation[]; readonly keys: readonly ApiKey[] }
    | undefined;
}

function MemberItem({ member, room, around }: {
  readonly member: Member;
  readonly room: WorkspaceRoom;
  readonly around: Around;
}) {
  const { userId, name, email, role } = member;
  const base = `/workspaces/${room.workspace.slug}/members`;
  const isSelf = userId === around.person.user.id;
  return (
    <li>
      <div class="what">
        <span>{name} {isSelf ? <span class="tag good">You</span> : null}</span>
        {email === null ? null : <span>{email}</span>}
      </div>
      {room.owned === undefined || isSelf ? <span class="tag">{role}</span> : (
        <div class="row">
          <Form action={`${base}/role`} csrf={around.csrf} class="inline" hidden={{ userId }}>
            <label class="hush" for={`role-${userId}`}>Role of {name}</label>
            <div class="row">
              <select id={`role-${userId}`} name="role">
                {ROLES.map((each) => (
                  <option key={each} value={each} selected={each === role}>{each}</option>
                ))}
              </select>
              <button class="quiet little" type="submit">Set role</button>
            </div>
          </Form>
          <EndButton
            action={`${base}/remove`}
            csrf={around.csrf}
            word="Remove"
            what={name}
            hidden={{ userId }}
          />
        </div>
      )}
    </li>
  );
}

function InvitationCard({ room, around, url }: {
  readonly room: WorkspaceRoom;
  readonly around: Around;
  readonly url: string | undefined;
}) {
  const base = `/workspaces/${room.workspace.slug}/invitations`;
  return (
    <Card
      title="Invite somebody"
      id="invite"
      lead="A link lets one person join, once, within a week."
    >
      <div class="body">
        {url === undefined ? null : (
          <Notice kind="care">
            <strong>Send this link to them. It is shown this once.</strong>
            <code class="secret">{url}</code>
          </Notice>
        )}
        <Form action={base} csrf={around.csrf} class="side short">
          <RoleField id="invite-role" chosen="developer" label="Role" />
          <button type="submit">Make a link</button>
        </Form>
      </div>
      {room.owned!.invitations.length === 0 ? null : (
        <ul class="items">
          {room.owned!.invitations.map(({ id, role, createdAt, expiresAt }) => (
            <li>
              <div class="what">
                <span>
                  Open invitation <span class="tag">{role}</span>
                </span>
                <span>
                  Made <Moment at={createdAt} />, ends <Moment at={expiresAt} />
                </span>
              </div>
              <EndButton
                action={`${base}/withdraw`}
                csrf={around.csrf}
                word="Withdraw"
                what={`the invitation as ${role}`}
                hidden={{ id }}
              />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function KeyCard({ room, around, made, state }: {
  readonly room: WorkspaceRoom;
  readonly around: Around;
  readonly made: string | undefined;
  readonly state: FormState;
}) {
  const base = `/workspaces/${room.workspace.slug}/keys`;
  return (
    <Card
      title="API keys"
      id="keys"
      lead="For automation. A key may do what its role may, never more than who made it."
    >
      <div class="body">
        {made === undefined ? null : (
          <Notice kind="care">
            <strong>Your new key. It is shown this once.</strong>
            <code class="secret">{made}</code>
          </Notice>
        )}
        <Trouble state={state} />
        <Form action={base} csrf={around.csrf} class="side">
          <Field label="Name" name="name" state={state} autocomplete="off" maxlength={100} />
          <RoleField id="key-role" chosen="developer" label="Role" />
          <button type="submit">Make a key</button>
        </Form>
      </div>
      <ul class="items">
        {room.owned!.keys.map(({ id, name, prefix, role, createdAt, lastUsedAt }) => (
          <li>
            <div class="what">
              <span>
                {name} <span class="tag">{role}</span>
              </span>
              <span class="mono">{prefix}…</span>
              <MadeAndUsed word="Made" createdAt={createdAt} lastUsedAt={lastUsedAt} />
            </div>
            <EndButton
              action={`${base}/revoke`}
              csrf={around.csrf}
              word="Revoke"
              what={`the key ${name}`}
              hidden={{ id }}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}

export function workspacePage(around: Around, room: WorkspaceRoom, shown: Shown & {
  /** Link of a new invitation. */
  readonly url?: string;
  /** A new API key. */
  readonly made?: string;
} = {}): Response {
  const { workspace, members, owned } = room;
  const { state = EMPTY, url, made, status, headers } = shown;
  return showPage(
    <SettingsFrame
      title={workspace.name}
      lead={
        <>
          <span class="mono">{workspace.slug}</span>, you are {workspace.role}
        </>
      }
      around={around}
    >
      <Card title="Members" id="members">
        <ul class="items">
          {members.map((member) => (
            <MemberItem key={member.userId} member={member} room={room} around={around} />
          ))}
        </ul>
      </Card>
      {owned === undefined ? null : <InvitationCard room={room} around={around} url={url} />}
      {owned === undefined
        ? null
        : <KeyCard room={room} around={around} made={made} state={state} />}
      <Card
        title="Leave"
        id="leave"
        lead="Your keys and tools for this workspace end. The last owner can not leave."
      >
        <div class="body">
          <EndButton
            action={`/workspaces/${workspace.slug}/leave`}
            csrf={around.csrf}
            word="Leave"
            what={`the workspace ${workspace.name}`}
          />
        </div>
      </Card>
    </SettingsFrame>,
    {
      title: workspace.name,
      ...(status === undefined ? {} : { status }),
      ...(headers === undefined ? {} : { headers }),
    },
  );
}

/** What an invitation is for; asks whoever is signed in to join. */
export function invitationPage(shown: {
  readonly invitation: OpenInvitation;
  readonly token: string;
  readonly csrf: string;
  readonly email: string;
}): Response {
  const { invitation, token, csrf, email } = shown;
  const { workspace, role, invitedBy } = invitation;
  return showPage(
    <EntryFrame
      title={`Join ${workspace.name}?`}
      lead={`${invitedBy} invites you to the workspace ${workspace.slug}, as ${role}.`}
    >
      <Form action={`/invitation/${token}`} csrf={csrf}>
        <div class="actions">
          <button type="submit">Join</button>
          <a class="button quiet" href="/">Not now</a>
        </div>
      </Form>
      <p class="aside-link">Signed in as {email}</p>
    </EntryFrame>,
    { title: "Invitation" },
  );
}
