/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A workspace's usage and limits. */
import type { BackupStatus } from "../../contract/backups.ts";
import type { FrontEdge } from "../../contract/edges.ts";
import type { Usage } from "../../contract/usage.ts";
import { formatBytes, formatCount } from "../../lib/format.ts";
import type { BoardContext } from "../layout/page_context.ts";
import { showBoard } from "../layout/show_board.ts";
import { UsageCard } from "../layout/usage.tsx";
import { Card, Moment, Notice } from "../layout/pieces.tsx";
import { usagePath } from "../layout/bar.tsx";
import { WorkspaceFrame } from "../layout/board_frame.tsx";
import { EdgesCard } from "./edges_card.tsx";

/** Shows the platform's owner the state of the backups. */
export function BackupsCard({ status }: { readonly status: BackupStatus }) {
  const { last, failure, runningSince, nextAt } = status;
  return (
    <Card title="The platform's backups" id="backups">
      <div class="body">
        {failure === null ? null : (
          <Notice kind="bad">
            <p>
              Backups have failed since <Moment at={failure.since} />: {failure.message}.{" "}
              {failure.hint}
            </p>
          </Notice>
        )}
        <p>
          {last === null ? "No backup has been verified by restoring it yet." : (
            <>
              The backup {last.name} ({formatBytes(last.bytes)}) was restored{" "}
              <Moment at={last.at} />: {formatCount(last.records, "record")},{" "}
              {formatCount(last.blobs, "blob")}, {formatCount(last.databases.count, "database")}
              {" "}
              with {formatCount(last.databases.rows, "row")}.
            </>
          )}
        </p>
        <p class="soft small">
          {runningSince === null
            ? (
              <>
                Next: <Moment at={nextAt!} />.
              </>
            )
            : "A backup is running."} Only the platform's owner sees this. In a terminal:{" "}
          <code>svc doctor</code>
        </p>
      </div>
    </Card>
  );
}

/** Renders a workspace's usage. Only the platform's owner sees the backups and the edges. */
export function usagePage(
  context: BoardContext,
  { items, backups, edges = [] }: {
    readonly items: readonly Usage[];
    readonly backups: BackupStatus | undefined;
    readonly edges: readonly FrontEdge[] | undefined;
  },
): Response {
  const { workspace: { name, slug }, csrf, now } = context;
  return showBoard(
    <WorkspaceFrame
      context={context}
      here="usage"
      title="Usage"
      lead="This workspace's usage and limits."
    >
      <UsageCard items={items} command="svc usage">
        Each project has its own limits on its Usage page.
      </UsageCard>
      {edges.length === 0
        ? null
        : <EdgesCard edges={edges} path={usagePath(slug)} csrf={csrf} now={now} />}
      {backups === undefined || backups.place === null ? null : <BackupsCard status={backups} />}
    </WorkspaceFrame>,
    { title: `Usage of ${name}` },
  );
}
