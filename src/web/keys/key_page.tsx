/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module An API key's page, with its permissions and expiry. */
import type { ApiKey } from "../../contract/api_keys.ts";
import type { BoardContext } from "../layout/page_context.ts";
import { Card, EndButton, Field, Form, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage } from "../layout/form.ts";
import { formPageFacts } from "../layout/document.tsx";
import { keysPath } from "../layout/bar.tsx";
import { SelectField } from "../layout/board_pieces.tsx";
import { showBoard } from "../layout/show_board.ts";
import { WorkspaceFrame } from "../layout/board_frame.tsx";
import { type Grant, type GrantChoices, PermissionFields, ProjectFields } from "./grant_fields.tsx";
import { Ending } from "./keys_page.tsx";
import { AS_IT_IS, EXPIRY_DAYS, NEVER } from "./read_grant.ts";

export function keyPage(
  context: BoardContext,
  { apiKey, choices, grant = apiKey, ...shown }: FormPage & {
    readonly apiKey: ApiKey;
    readonly choices: GrantChoices;
    /** The selected permissions and projects. */
    readonly grant?: Grant;
  },
): Response {
  const { state = EMPTY } = shown;
  const path = `${keysPath(context.workspace.slug)}/${apiKey.id}`;
  return showBoard(
    <WorkspaceFrame
      context={context}
      here="keys"
      title={apiKey.name}
      lead={
        <>
          <span class="mono">{apiKey.prefix}…</span>
          <span>{apiKey.role}</span>
          <span>
            <Ending apiKey={apiKey} now={context.now} />
          </span>
        </>
      }
    >
      <Card
        title="Permissions"
        id="change"
        lead="Takes effect on the next request. The key and its role don't change."
      >
        <div class="body">
          <Trouble state={state} />
          <Form action={path} csrf={context.csrf}>
            <Field
              label="Name"
              name="name"
              state={state}
              initial={apiKey.name}
              autocomplete="off"
              maxlength={100}
            />
            <Field
              label="Description"
              name="description"
              state={state}
              initial={apiKey.description}
              autocomplete="off"
              maxlength={500}
              optional
            />
            <SelectField
              label="Expires after (days)"
              name="expires"
              values={[AS_IT_IS, NEVER, ...EXPIRY_DAYS]}
              chosen={state.values.expires ?? AS_IT_IS}
            />
            <PermissionFields chosen={grant.permissions} />
            <ProjectFields chosen={grant.projects} choices={choices} />
            <button type="submit">Save</button>
          </Form>
        </div>
      </Card>
      <Card
        title="Revoke"
        id="revoke"
        lead="The key stops working immediately. This cannot be undone."
      >
        <div class="body">
          <EndButton
            action={`${keysPath(context.workspace.slug)}/revoke`}
            csrf={context.csrf}
            word="Revoke"
            what={apiKey.name}
            hidden={{ id: apiKey.id }}
          />
        </div>
      </Card>
    </WorkspaceFrame>,
    formPageFacts(apiKey.name, shown),
  );
}
