/** @module `/workspaces/{slug}/projects/{project}/databases/{database}`. */
import { MAIN_BRANCH } from "../../contract/databases.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { goTo } from "../layout/document.tsx";
import { type FormPage, refused } from "../layout/form.ts";
import { QUESTIONS } from "../asking/questions.ts";
import { askOnProject, canChange } from "../project/open_project.ts";
import { type BoardServices, namedIn } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import type { ConnectView } from "./connect_card.tsx";
import { databasePage } from "./database_page.tsx";
import { MAX_IMPORT_FORM } from "./files_card.tsx";
import { attachment } from "../layout/attachment.ts";
import { DATABASE_AT as AT, type DatabaseVisit, openDatabase } from "./open_database.ts";
import { type ImportOutcome, readImport } from "./read_import.ts";

type DatabasePageView = FormPage & {
  readonly of?: "branches" | "snapshots";
  readonly imported?: ImportOutcome;
  readonly showsPassword?: boolean;
};

/**
 * Reads how to connect to the branch. Returns `undefined` if the person's role does not allow
 * changes.
 */
async function readConnection(
  { parts, place: { params, branch } }: DatabaseVisit,
  showsPassword: boolean,
): Promise<ConnectView | undefined> {
  if (!canChange(parts)) return undefined;
  const request = { params, query: { branch } };
  try {
    const address = await parts.api.call(endpoints.getDatabaseAddress, request);
    if (!showsPassword) return { address, password: undefined };
    // The audit log records this call.
    const { password } = await parts.api.call(endpoints.getDatabaseConnection, request);
    return { address, password };
  } catch (error) {
    if (error instanceof Failure && error.status < 500) return { refusal: error.message };
    throw error;
  }
}

async function show(visit: DatabaseVisit, shown: DatabasePageView = {}): Promise<Response> {
  const { parts: { api }, place: { params } } = visit;
  const { showsPassword = false, ...rest } = shown;
  const [{ items: snapshots }, usage, connect] = await Promise.all([
    api.call(endpoints.listDatabaseSnapshots, { params }),
    api.call(endpoints.getDatabaseUsage, { params }),
    readConnection(visit, showsPassword),
  ]);
  return databasePage(visit, { ...rest, snapshots, usage, connect });
}

const back = (visit: DatabaseVisit, done: string, query: Record<string, string> = {}): Response =>
  goTo(`${visit.path()}?${new URLSearchParams({ ...query, done })}`);

async function exportAs(
  visit: DatabaseVisit,
  endpoint: typeof endpoints.exportDatabase | typeof endpoints.getDatabaseSchema,
  suffix: string,
): Promise<Response> {
  const { place: { api, params, branch }, database } = visit;
  return new Response(await api.stream(endpoint, { params, query: { branch } }), {
    headers: {
      "content-type": "application/sql; charset=utf-8",
      "content-disposition": attachment(`${database.name}-${branch}${suffix}.sql`),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}

function bindBranches(
  bind: PageBinder,
  services: BoardServices,
  open: (visit: PersonVisit) => Promise<DatabaseVisit>,
) {
  bind.personal("POST", `${AT}/branches`, async (visit) => {
    const opened = await open(visit);
    const { api, params } = opened.place;
    const { name = "", from = MAIN_BRANCH, at = "" } = visit.fields;
    // Browsers omit the seconds in a time if they are 0.
    const asOf = at === "" ? {} : { at: `${at}${/T\d\d:\d\d$/.test(at) ? ":00" : ""}Z` };
    try {
      await api.call(endpoints.createDatabaseBranch, { params, body: { name, from, ...asOf } });
      return back(opened, "branch-made");
    } catch (error) {
      return show(opened, { ...refused(error, visit.fields), of: "branches" });
    }
  });

  bind.asking(`${AT}/branches/reset`, {
    ask: askOnProject(services, ({ visit }) => QUESTIONS.databaseReset(visit.fields.branch ?? "")),
    run: async (visit) => {
      const opened = await open(visit);
      const { api, params, branch } = opened.place;
      await api.call(endpoints.resetDatabaseBranch, { params: { ...params, branch } });
      return back(opened, "branch-reset");
    },
  });

  bind.asking(`${AT}/branches/remove`, {
    ask: askOnProject(services, ({ visit }) => QUESTIONS.databaseBranch(visit.fields.branch ?? "")),
    run: async (visit) => {
      const opened = await open(visit);
      const { api, params, branch } = opened.place;
      await api.call(endpoints.deleteDatabaseBranch, { params: { ...params, branch } });
      return back(opened, "branch-removed");
    },
  });
}

function bindSnapshots(
  bind: PageBinder,
  services: BoardServices,
  open: (visit: PersonVisit) => Promise<DatabaseVisit>,
) {
  bind.personal("POST", `${AT}/snapshots`, async (visit) => {
    const opened = await open(visit);
    const { api, params, branch } = opened.place;
    try {
      await api.call(endpoints.createDatabaseSnapshot, { params, body: { branch } });
      return back(opened, "snapshot-made");
    } catch (error) {
      return show(opened, { ...refused(error, visit.fields), of: "snapshots" });
    }
  });

  // Restoring to an existing branch replaces the branch's data, so the page asks first. A restore
  // to a new branch needs no question.
  bind.asking(`${AT}/snapshots/restore`, {
    ask: async (visit) => {
      const { branches, place: { branch }, parts } = await open(visit);
      return canChange(parts) && branches.some(({ name }) => name === branch)
        ? QUESTIONS.databaseRestore(branch)
        : undefined;
    },
    run: async (visit) => {
      const opened = await open(visit);
      const { api, params, branch } = opened.place;
      const { snapshot = "" } = visit.fields;
      try {
        await api.call(endpoints.restoreDatabaseSnapshot, {
          params: { ...params, snapshot },
          body: { branch },
        });
        return back(opened, "snapshot-restored");
      } catch (error) {
        return show(opened, { ...refused(error, visit.fields), of: "snapshots" });
      }
    },
  });

  bind.asking(`${AT}/snapshots/remove`, {
    ask: askOnProject(services, (parts) => QUESTIONS.snapshot(namedIn(parts))),
    run: async (visit) => {
      const opened = await open(visit);
      const { api, params } = opened.place;
      const { snapshot = "" } = visit.fields;
      await api.call(endpoints.deleteDatabaseSnapshot, { params: { ...params, snapshot } });
      return back(opened, "snapshot-removed");
    },
  });
}

export function bindDatabase(bind: PageBinder, services: BoardServices): void {
  const open = (visit: PersonVisit) => openDatabase(visit, services);

  bind.personal("GET", AT, async (visit) => show(await open(visit)));
  bind.personal(
    "POST",
    `${AT}/connection`,
    async (visit) => show(await open(visit), { showsPassword: true }),
  );
  bindBranches(bind, services, open);
  bindSnapshots(bind, services, open);

  bind.personal(
    "GET",
    `${AT}/export.sql`,
    async (visit) => exportAs(await open(visit), endpoints.exportDatabase, ""),
  );
  bind.personal(
    "GET",
    `${AT}/schema.sql`,
    async (visit) => exportAs(await open(visit), endpoints.getDatabaseSchema, "-schema"),
  );

  bind.personal("POST", `${AT}/import`, async (visit) => {
    const opened = await open(visit);
    const { api, params, branch } = opened.place;
    const [script] = visit.files("script");
    if (script === undefined || script.size === 0) {
      throw new Failure("invalid_request", "Choose an SQL file");
    }
    const events = await api.stream(endpoints.importDatabase, {
      params,
      query: { branch },
      octets: script.stream(),
    });
    return show(opened, { imported: await readImport(events) });
  }, { maxUpload: MAX_IMPORT_FORM });

  bind.asking(`${AT}/delete`, {
    ask: async (visit) => {
      const { parts, database } = await open(visit);
      return canChange(parts) ? QUESTIONS.database(database.name) : undefined;
    },
    run: async (visit) => {
      const { parts, place: { api, params } } = await open(visit);
      await api.call(endpoints.deleteDatabase, { params });
      return parts.back("databases", "database-deleted");
    },
  });
}
