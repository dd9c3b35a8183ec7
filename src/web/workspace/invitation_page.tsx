/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { OpenInvitation } from "../../platform/workspaces/mod.ts";
import { EntryFrame } from "../layout/frames.tsx";
import { Form } from "../layout/pieces.tsx";
import { showPage } from "../layout/document.tsx";

/** Shows the workspace and role of an invitation, and asks the signed-in person to join. */
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
      lead={`${invitedBy} invites you to join the workspace ${workspace.slug} as ${role}.`}
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
