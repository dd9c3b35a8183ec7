/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { BoardContext } from "../layout/page_context.ts";
import { Card, EndButton } from "../layout/pieces.tsx";
import type { FormPage } from "../layout/form.ts";
import { formPageFacts } from "../layout/document.tsx";
import { Pager } from "../layout/board_pieces.tsx";
import { showBoard } from "../layout/show_board.ts";
import { WorkspaceFrame } from "../layout/board_frame.tsx";
import { InvitationCard, MemberItem, type WorkspaceView } from "./workspace_cards.tsx";

export function workspacePage(context: BoardContext, view: WorkspaceView, shown: FormPage & {
  /** The link for a new invitation. */
  readonly url?: string;
} = {}): Response {
  const { workspace, members, cursors, owned } = view;
  const path = `/workspaces/${workspace.slug}`;
  const { url } = shown;
  return showBoard(
    <WorkspaceFrame
      here="members"
      title={workspace.name}
      lead={
        <>
          <span class="mono">{workspace.slug}</span>
          <span>{`${workspace.role[0]!.toUpperCase()}${workspace.role.slice(1)}`}</span>
        </>
      }
      context={context}
    >
      <Card title="Members" id="members">
        <ul class="items">
          {members.map((member) => (
            <MemberItem key={member.userId} member={member} view={view} context={context} />
          ))}
        </ul>
      </Card>
      <Pager path={path} cursor={cursors.members} nextCursor={view.nextMembers} name="members" />
      {owned === undefined ? null : (
        <>
          <InvitationCard view={view} context={context} url={url} />
          <Pager
            path={path}
            cursor={cursors.invitations}
            nextCursor={owned.nextInvitations}
            name="invitations"
          />
        </>
      )}
      <Card
        title="Leave"
        id="leave"
        lead="Your API keys and connected devices lose access to this workspace. The last owner cannot leave."
      >
        <div class="body">
          <EndButton
            action={`/workspaces/${workspace.slug}/leave`}
            csrf={context.csrf}
            word="Leave"
            what={`the workspace ${workspace.name}`}
          />
        </div>
      </Card>
    </WorkspaceFrame>,
    formPageFacts(workspace.name, shown),
  );
}
