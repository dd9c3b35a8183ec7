/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The cards on a workspace's page: its members and invitations. */
import type { Invitation, Member } from "../../contract/workspaces.ts";
import { type Role, ROLES, type Workspace } from "../../contract/identity.ts";
import { Card, EndButton, Form, Moment, Notice } from "../layout/pieces.tsx";
import type { PageContext } from "../layout/page_context.ts";

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

export interface WorkspaceView {
  readonly workspace: Pick<Workspace, "slug" | "name" | "role">;
  readonly members: readonly Member[];
  readonly nextMembers: string | null;
  /** The cursor of each list; `null` for the first page. */
  readonly cursors: Readonly<Record<"members" | "invitations", string | null>>;
  /** Data that only owners can see. */
  readonly owned:
    | { readonly invitations: readonly Invitation[]; readonly nextInvitations: string | null }
    | undefined;
}

export function MemberItem({ member, view, context }: {
  readonly member: Member;
  readonly view: WorkspaceView;
  readonly context: PageContext;
}) {
  const { userId, name, email, role } = member;
  const base = `/workspaces/${view.workspace.slug}/members`;
  const isSelf = userId === context.person.user.id;
  return (
    <li>
      <div class="what">
        <span>{name} {isSelf ? <span class="tag good">You</span> : null}</span>
        {email === null ? null : <span>{email}</span>}
      </div>
      {view.owned === undefined || isSelf ? <span class="tag">{role}</span> : (
        <div class="row">
          <Form action={`${base}/role`} csrf={context.csrf} class="inline" hidden={{ userId }}>
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
            csrf={context.csrf}
            word="Remove"
            what={name}
            hidden={{ userId }}
          />
        </div>
      )}
    </li>
  );
}

export function InvitationCard({ view, context, url }: {
  readonly view: WorkspaceView;
  readonly context: PageContext;
  readonly url: string | undefined;
}) {
  const base = `/workspaces/${view.workspace.slug}/invitations`;
  return (
    <Card
      title="Invite someone"
      id="invite"
      lead="An invitation link works once and expires after a week."
    >
      <div class="body">
        {url === undefined ? null : (
          <Notice kind="care">
            <strong>Copy and send this link now. You won't see it again.</strong>
            <code class="secret">{url}</code>
          </Notice>
        )}
        <Form action={base} csrf={context.csrf} class="side short">
          <RoleField id="invite-role" chosen="developer" label="Role" />
          <button type="submit">Create invitation link</button>
        </Form>
      </div>
      {view.owned!.invitations.length === 0 ? null : (
        <ul class="items">
          {view.owned!.invitations.map(({ id, role, createdAt, expiresAt }) => (
            <li>
              <div class="what">
                <span>
                  Open invitation <span class="tag">{role}</span>
                </span>
                <span>
                  Created <Moment at={createdAt} />, expires <Moment at={expiresAt} />
                </span>
              </div>
              <EndButton
                action={`${base}/withdraw`}
                csrf={context.csrf}
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
