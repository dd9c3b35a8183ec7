/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The frame around all project pages, with the data that they share. */
import type { Child } from "hono/jsx";
import type { FormPage } from "../layout/form.ts";
import { formPageFacts } from "../layout/document.tsx";
import { ProjectFrame, type ProjectSection } from "../layout/board_frame.tsx";
import { showBoard } from "../layout/show_board.ts";
import { SiteLink } from "../layout/board_pieces.tsx";
import type { ProjectVisit } from "./open_project.ts";

export function projectPage(
  { context, project }: ProjectVisit,
  shown: FormPage & {
    readonly here: ProjectSection;
    /** The page's subject, which the window title contains. */
    readonly about: string;
    readonly acts?: Child;
    /** Scripts to load in addition to the ones that every page loads. */
    readonly scripts?: readonly string[];
  },
  content: Child,
): Response {
  const { name, displayName, framework, url, productionDeploymentId } = project;
  return showBoard(
    <ProjectFrame
      context={context}
      project={name}
      here={shown.here}
      title={displayName ?? name}
      acts={shown.acts}
      lead={
        <>
          {productionDeploymentId === null
            ? <span>Not in production yet</span>
            : <SiteLink url={url} />}
          {framework === null ? null : <span>{framework}</span>}
          {project.gitUrl === null ? null : <span class="clip">{project.gitUrl}</span>}
        </>
      }
    >
      {content}
    </ProjectFrame>,
    { ...formPageFacts(`${name}: ${shown.about}`, shown), scripts: shown.scripts },
  );
}
