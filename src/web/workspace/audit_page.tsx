/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A workspace's audit log, newest first. */
import { AUDIT_DAYS, type AuditEntry } from "../../contract/audit.ts";
import { auditPath } from "../layout/bar.tsx";
import type { BoardContext } from "../layout/page_context.ts";
import { Card, Moment } from "../layout/pieces.tsx";
import { Empty, Name } from "../layout/board_pieces.tsx";
import { showBoard } from "../layout/show_board.ts";
import { WorkspaceFrame } from "../layout/board_frame.tsx";
import { auditQuery, type AuditSelection } from "./audit_selection.ts";
import { pastTense } from "./past_tense.ts";

const BY = {
  api_key: "with the API key",
  access_token: "with the CLI",
  session: "in a browser",
  hook: "with the deploy hook",
  platform: "By the platform, automatically",
} as const;

/** Converts a field name to words: `gitUrl` becomes "git url". */
const wordsOf = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Shows a change. Older versions recorded an empty list as an empty string. */
function Change({ change }: { readonly change: AuditEntry["changes"][number] }) {
  const [from, to] = [change.from || null, change.to || null];
  if (from === to) return null;
  return (
    <span class="soft">
      {wordsOf(change.field)}: {from === null ? null : `${from} → `}
      {to ?? "none"}
    </span>
  );
}

function Entry({ entry, context }: { readonly entry: AuditEntry; readonly context: BoardContext }) {
  const { summary, path, at, user, credential, address, target, changes } = entry;
  const base = auditPath(context.workspace.slug);
  return (
    <li>
      <div class="main">
        <span>
          {pastTense(summary)}
          {target === null ? null : (
            <>
              : <strong>{target.name ?? target.id}</strong>
            </>
          )}
        </span>
        {target === null || target.id === null || target.name === null
          ? null
          : <span class="soft mono">{target.id}</span>}
        {changes.map((change) => <Change key={change.field} change={change} />)}
        <span class="soft mono">
          <Name text={path} />
        </span>
        <span class="soft">
          {user === null ? null : <a href={`${base}?user=${user.id}`}>{user.name}</a>}{" "}
          {BY[credential.type]}
          {credential.type === "platform" ? null : (
            <>
              {credential.type === "session" ? null : ` "${credential.name}"`}, from{" "}
              <span class="mono">{address}</span>
            </>
          )}
        </span>
      </div>
      <Moment at={at} />
    </li>
  );
}

function Filters(
  { selection, slug }: { readonly selection: AuditSelection; readonly slug: string },
) {
  const { user, action = "", project = "" } = selection;
  return (
    <form method="get" action={auditPath(slug)} class="line-form">
      {user === undefined ? null : <input type="hidden" name="user" value={user} />}
      <div class="field">
        <label for="action">Operation, for example createApiKey</label>
        <input id="action" name="action" value={action} maxlength={60} autocomplete="off" />
      </div>
      <div class="field">
        <label for="project">Project</label>
        <input id="project" name="project" value={project} maxlength={60} autocomplete="off" />
      </div>
      <button type="submit">Filter</button>
      {user === undefined && action === "" && project === ""
        ? null
        : <a href={auditPath(slug)}>Show all</a>}
    </form>
  );
}

export function auditPage(context: BoardContext, shown: {
  readonly items: readonly AuditEntry[];
  readonly nextCursor: string | null;
  readonly selection: AuditSelection;
}): Response {
  const { items, nextCursor, selection } = shown;
  const { slug } = context.workspace;
  return showBoard(
    <WorkspaceFrame
      context={context}
      here="audit"
      title="Audit log"
      lead={`Changes in the last ${AUDIT_DAYS} days: who, what and where from.`}
    >
      <Filters selection={selection} slug={slug} />
      <Card title="Changes" id="changes">
        {items.length === 0
          ? (
            <Empty title="No changes" command="svc audit">
              {nextCursor === null
                ? "No changes match these filters."
                : "None of the most recent changes match. Try older changes."}
            </Empty>
          )
          : (
            <ol class="rows plain">
              {items.map((entry) => <Entry key={entry.id} entry={entry} context={context} />)}
            </ol>
          )}
      </Card>
      {nextCursor === null ? null : (
        <p>
          <a href={auditPath(slug) + auditQuery({ ...selection, cursor: nextCursor })}>
            Older changes
          </a>
        </p>
      )}
    </WorkspaceFrame>,
    { title: `Audit log of ${context.workspace.name}` },
  );
}
