/** @module Lists the names of a project's environments for selection fields. */
import { endpoints } from "../../contract/endpoints.ts";
import { WHOLE_LIST } from "../visit/page_context.ts";
import type { ProjectVisit } from "./open_project.ts";

export async function environmentNames({ api, project }: ProjectVisit): Promise<string[]> {
  const { items } = await api.call(endpoints.listEnvironments, {
    params: { project: project.name },
    query: WHOLE_LIST,
  });
  return items.map(({ name }) => name);
}
