/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The frame of the database pages, with their tabs and the selected branch. */
import type { Child } from "hono/jsx";
import { SelectField } from "../layout/board_pieces.tsx";
import type { FormPage } from "../layout/form.ts";
import { projectPage } from "../project/project_page.tsx";
import type { DatabaseVisit } from "./open_database.ts";

const TABS = [["", "Overview"], ["tables", "Tables"], ["sql", "SQL"], [
  "diff",
  "Schema diff",
]] as const;

function BranchChoice({ visit, here }: {
  readonly visit: DatabaseVisit;
  readonly here: string;
}) {
  const { branches, place, path } = visit;
  if (branches.length < 2) return null;
  return (
    <form method="get" action={path(here)} class="row branch-choice">
      <SelectField
        label="Branch"
        name="branch"
        values={branches.map(({ name }) => name)}
        chosen={place.branch}
      />
      <button type="submit" class="quiet little">Switch</button>
    </form>
  );
}

export function studioPage(
  visit: DatabaseVisit,
  shown: FormPage & {
    readonly here: (typeof TABS)[number][0];
    readonly scripts?: readonly string[];
  },
  content: Child,
): Response {
  const { parts, database, place, path } = visit;
  const { here } = shown;
  const query = `?${new URLSearchParams({ branch: place.branch })}`;
  return projectPage(
    parts,
    { ...shown, here: "databases", about: `database ${database.name}` },
    <>
      <div class="row apart">
        <div class="stack-little">
          <h2>
            <a class="soft" href={parts.path("databases")}>Databases</a>
            {" / "}
            {database.name}
          </h2>
          <nav class="tabs" aria-label="Database">
            {TABS.map(([page, name]) => (
              <a
                key={page}
                href={path(page) + (page === "" || page === "diff" ? "" : query)}
                aria-current={page === here ? "page" : undefined}
              >
                {name}
              </a>
            ))}
          </nav>
        </div>
        {here === "" || here === "diff" ? null : <BranchChoice visit={visit} here={here} />}
      </div>
      {content}
    </>,
  );
}
