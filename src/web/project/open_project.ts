/** @module Opens the project that a page belongs to, with the data that all project pages show. */
import { endpoints } from "../../contract/endpoints.ts";
import type { Project } from "../../contract/projects.ts";
import { goTo } from "../layout/document.tsx";
import { projectPath } from "../layout/bar.tsx";
import { type BoardServices, type BoardVisit, openBoard } from "../visit/board_context.ts";
import type { PersonVisit } from "../visit/page_binder.tsx";
import type { Question } from "../layout/question.tsx";
import { Failure } from "../../platform/core/http/mod.ts";

export interface ProjectVisit extends BoardVisit {
  readonly project: Project;
  /** Returns the path of one of the project's pages. */
  path(page?: string): string;
  /** Redirects to one of the project's pages and shows a success message there. */
  back(page: string, done: string): Response;
}

/** Opens a page under `/workspaces/{slug}/projects/{project}`. @throws {Failure} `not_found` */
export async function openProject(
  visit: PersonVisit,
  services: BoardServices,
): Promise<ProjectVisit> {
  const { slug = "", project: name = "" } = visit.params;
  const parsed = endpoints.getProject.params.safeParse({ project: name });
  if (!parsed.success) {
    throw new Failure("not_found", `Project "${name}" does not exist in workspace "${slug}"`);
  }
  const [board, project] = await Promise.all([
    openBoard(visit, slug, services),
    visit.api(slug).call(endpoints.getProject, { params: parsed.data }),
  ]);
  const path = (page = "") => projectPath(slug, project.name, page);
  return {
    ...board,
    project,
    path,
    back: (page, done) => goTo(`${path(page)}?done=${done}`),
  };
}

/**
 * Creates the question for an action on a project's page, for people who are allowed to run it.
 *
 * @throws {Failure} `forbidden` for viewers.
 */
export const askOnProject = (
  services: BoardServices,
  ask: (parts: ProjectVisit) => Question | undefined | Promise<Question | undefined>,
) =>
async (visit: PersonVisit): Promise<Question | undefined> => {
  const parts = await openProject(visit, services);
  if (canChange(parts)) return ask(parts);
  throw new Failure("forbidden", "Viewers cannot change anything in this workspace");
};

/** Whether the person is allowed to change the page's content. */
export const canChange = ({ context }: BoardVisit): boolean => context.workspace.role !== "viewer";

/** Reads the cursor for the page's list from the URL. */
export const cursorOf = ({ visit }: BoardVisit): string | null => visit.query.get("cursor");
