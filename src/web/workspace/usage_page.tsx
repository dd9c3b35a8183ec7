/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * The usage and limits of a workspace.
 *
 * @module
 */
import type { Usage } from "../../contract/usage.ts";
import type { BoardContext } from "../layout/page_context.ts";
import { showBoard } from "../layout/show_board.ts";
import { UsageCard } from "../layout/usage.tsx";
import { WorkspaceFrame } from "../layout/board_frame.tsx";

export function usagePage(context: BoardContext, items: readonly Usage[]): Response {
  const { name } = context.workspace;
  return showBoard(
    <WorkspaceFrame
      context={context}
      here="usage"
      title="Usage"
      lead="Usage and limits of this workspace."
    >
      <UsageCard items={items} command="svc usage">
        Each project has its own limits on its Usage page.
      </UsageCard>
    </WorkspaceFrame>,
    { title: `Usage of ${name}` },
  );
}
