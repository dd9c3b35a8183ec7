/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * The usage and limits of a workspace.
 *
 * @module
 */
import type { Usage } from "../../contract/mod.ts";
import { type BoardContext, showBoard, UsageCard, WorkspaceFrame } from "../layout/mod.ts";

export function usagePage(context: BoardContext, items: readonly Usage[]): Response {
  const { name } = context.workspace;
  return showBoard(
    <WorkspaceFrame
      context={context}
      here="usage"
      title="Usage"
      lead="What this workspace uses, and its limits."
    >
      <UsageCard items={items} command="svc usage">
        Each project has limits of its own: see the page "Usage" of a project.
      </UsageCard>
    </WorkspaceFrame>,
    { title: `Usage of ${name}` },
  );
}
