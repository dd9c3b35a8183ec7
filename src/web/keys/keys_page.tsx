/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A workspace's API keys, and the form for a new one. */
import type { ApiKey } from "../../contract/api_keys.ts";
import { ROLES } from "../../contract/identity.ts";
import type { BoardContext } from "../layout/page_context.ts";
import { Card, Field, Form, MadeAndUsed, Moment, Notice, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage } from "../layout/form.ts";
import { Empty, Pager, SelectField } from "../layout/board_pieces.tsx";
import { formPageFacts } from "../layout/document.tsx";
import { keysPath } from "../layout/bar.tsx";
import { showBoard } from "../layout/show_board.ts";
import { WorkspaceFrame } from "../layout/board_frame.tsx";
import { type Grant, type GrantChoices, PermissionFields, ProjectFields } from "./grant_fields.tsx";
import { grantText } from "./grant_text.ts";
import { EXPIRY_DAYS, NEVER } from "./read_grant.ts";

/** The default selection for a new key. */
const USUAL: Grant = { permissions: ["everything"], projects: null };

/** Describes when a key expires. */
export function Ending({ apiKey, now }: { readonly apiKey: ApiKey; readonly now: number }) {
  const { expiresAt } = apiKey;
  if (expiresAt === null) return <>never expires</>;
  return (
    <>
      {Date.parse(expiresAt) <= now ? "expired" : "expires"} <Moment at={expiresAt} />
    </>
  );
}

/** Describes the projects that a key can access. */
function reachOf({ projects }: ApiKey, { projects: known }: GrantChoices): string {
  if (projects === null) return "all projects";
  const names = new Map(known.map(({ id, name }) => [id, name]));
  return projects.map((id) => names.get(id) ?? "a project").join(", ");
}

function KeyItem({ apiKey, context, choices }: {
  readonly apiKey: ApiKey;
  readonly context: BoardContext;
  readonly choices: GrantChoices;
}) {
  const { id, name, prefix, role, permissions, description, lastAddress } = apiKey;
  return (
    <li>
      <div class="what">
        <span>
          {name} <span class="tag">{role}</span>
          {apiKey.publisherId === null ? null : <span class="tag">publisher</span>}
        </span>
        <span>
          <span class="mono">{prefix}…</span> {grantText(permissions, reachOf(apiKey, choices))} ·
          {" "}
          <Ending apiKey={apiKey} now={context.now} />
        </span>
        <span>
          <MadeAndUsed word="Created" createdAt={apiKey.createdAt} lastUsedAt={apiKey.lastUsedAt} />
          {lastAddress === null ? null : (
            <>
              {" "}from <span class="mono">{lastAddress}</span>
            </>
          )}
        </span>
        {description === "" ? null : <span>{description}</span>}
      </div>
      <a class="button quiet little" href={`${keysPath(context.workspace.slug)}/${id}`}>
        Edit or revoke<span class="hush">{` the key ${name}`}</span>
      </a>
    </li>
  );
}

export function keysPage(
  context: BoardContext,
  { keys, cursor, nextCursor, choices, made, grant = USUAL, ...shown }: FormPage & {
    readonly keys: readonly ApiKey[];
    readonly cursor: string | null;
    readonly nextCursor: string | null;
    readonly choices: GrantChoices;
    /** A newly created key. */
    readonly made?: string;
    /** The selected permissions and projects. */
    readonly grant?: Grant;
  },
): Response {
  const { state = EMPTY } = shown;
  return showBoard(
    <WorkspaceFrame
      context={context}
      here="keys"
      title="API keys"
      lead="A key can never do more than its role, or than the person who created it."
    >
      {made === undefined ? null : (
        <Notice kind="care">
          <strong>Copy your new key now. You won't see it again.</strong>
          <code class="secret">{made}</code>
        </Notice>
      )}
      <Card title="Keys" id="keys">
        {keys.length === 0
          ? <Empty title="No keys yet" command="svc keys create ci" />
          : (
            <ul class="items">
              {keys.map((apiKey) => (
                <KeyItem key={apiKey.id} apiKey={apiKey} context={context} choices={choices} />
              ))}
            </ul>
          )}
      </Card>
      <Pager path={keysPath(context.workspace.slug)} cursor={cursor} nextCursor={nextCursor} />
      <Card title="Create a key" id="make">
        <div class="body">
          <Trouble state={state} />
          <Form action={keysPath(context.workspace.slug)} csrf={context.csrf}>
            <Field label="Name" name="name" state={state} autocomplete="off" maxlength={100} />
            <Field
              label="Description"
              name="description"
              state={state}
              autocomplete="off"
              maxlength={500}
              optional
            />
            <SelectField
              label="Role (upper limit)"
              name="role"
              values={ROLES}
              chosen={state.values.role ?? "developer"}
            />
            <SelectField
              label="Expires after (days)"
              name="expires"
              values={[NEVER, ...EXPIRY_DAYS]}
              chosen={state.values.expires ?? NEVER}
            />
            <PermissionFields chosen={grant.permissions} />
            <ProjectFields chosen={grant.projects} choices={choices} />
            <button type="submit">Create key</button>
          </Form>
        </div>
      </Card>
    </WorkspaceFrame>,
    formPageFacts("API keys", shown),
  );
}
