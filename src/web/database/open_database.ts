/** @module Opens the database and branch in a page's URL. */
import type { DatabaseBranch } from "../../contract/database_branches.ts";
import { type Database, MAIN_BRANCH } from "../../contract/databases.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { openProject, type ProjectVisit } from "../project/open_project.ts";
import type { BoardServices } from "../visit/board_context.ts";
import type { PersonVisit } from "../visit/page_binder.tsx";
import type { BranchPlace } from "./run_statement.ts";

export const DATABASE_AT = "/workspaces/:slug/projects/:project/databases/:database";

export interface DatabaseVisit {
  readonly parts: ProjectVisit;
  readonly database: Database;
  readonly branches: readonly DatabaseBranch[];
  readonly place: BranchPlace;
  /** Returns the path of one of the database's pages. */
  path(page?: string): string;
}

/** Opens a database page. @throws {Failure} `not_found` if there is no such database */
export async function openDatabase(
  visit: PersonVisit,
  services: BoardServices,
): Promise<DatabaseVisit> {
  const parts = await openProject(visit, services);
  const named = { project: parts.project.name, database: visit.params.database ?? "" };
  const parsed = endpoints.getDatabase.params.safeParse(named);
  if (!parsed.success) {
    throw new Failure("not_found", `Database "${named.database}" does not exist`);
  }
  const params = parsed.data;
  const [database, { items: branches }] = await Promise.all([
    parts.api.call(endpoints.getDatabase, { params }),
    parts.api.call(endpoints.listDatabaseBranches, { params }),
  ]);
  const branch = visit.fields.branch ?? visit.query.get("branch") ?? MAIN_BRANCH;
  const at = parts.path(`databases/${database.name}`);
  return {
    parts,
    database,
    branches,
    place: { api: parts.api, params, branch },
    path: (page = "") => page === "" ? at : `${at}/${page}`,
  };
}

/** Checks that the database has the requested branch. @throws {Failure} `not_found` */
export function requireBranch({ branches, place: { branch } }: DatabaseVisit): void {
  if (branches.some(({ name }) => name === branch)) return;
  throw new Failure("not_found", `Branch "${branch}" does not exist`);
}
