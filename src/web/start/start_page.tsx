/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The frame around the pages that create a project. */
import type { Child } from "hono/jsx";
import { WorkspaceFrame } from "../layout/board_frame.tsx";
import { formPageFacts } from "../layout/document.tsx";
import type { FormPage } from "../layout/form.ts";
import type { BoardContext } from "../layout/page_context.ts";
import { showBoard } from "../layout/show_board.ts";
import { newProjectPath } from "./start_tiles.tsx";

export function startPage(
  context: BoardContext,
  { title, scripts, ...shown }: FormPage & {
    readonly title: string;
    readonly scripts?: readonly string[];
  },
  content: Child,
): Response {
  return showBoard(
    <WorkspaceFrame
      context={context}
      here="projects"
      title={title}
      lead={<a href={newProjectPath(context.workspace.slug)}>Other ways to start</a>}
    >
      {content}
    </WorkspaceFrame>,
    { ...formPageFacts(title, shown), scripts },
  );
}
