/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A project's custom domains, with their DNS records. */
import { endpoints } from "../../contract/endpoints.ts";
import { EMPTY, type FormPage, refused } from "../layout/form.ts";
import { goTo } from "../layout/document.tsx";
import { type BoardServices, namedIn } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { environmentNames } from "./environment_names.ts";
import {
  askOnProject,
  canChange,
  cursorOf,
  openProject,
  type ProjectVisit,
} from "./open_project.ts";
import { QUESTIONS } from "../asking/questions.ts";
import type { DnsCheck, DnsRecord, Domain } from "../../contract/domains.ts";
import { Ago, Empty, Pager, SelectField, State } from "../layout/board_pieces.tsx";
import { Card, EndButton, Field, Form, Notice, Trouble } from "../layout/pieces.tsx";
import { projectPage } from "./project_page.tsx";

function Records({ records }: { readonly records: readonly DnsRecord[] }) {
  return (
    <div class="scroll" tabindex={0} role="region" aria-label="DNS records to set">
      <table class="records">
        <thead>
          <tr>
            <th scope="col">Type</th>
            <th scope="col">Name</th>
            <th scope="col">Value</th>
            <th scope="col">For</th>
          </tr>
        </thead>
        <tbody>
          {records.map(({ type, name, value, purpose }) => (
            <tr key={`${type} ${name} ${value}`}>
              <td class="mono" data-column="Type">{type}</td>
              <td class="mono" data-column="Name">
                <span class="row" data-copied={name}>{name}</span>
              </td>
              <td class="mono" data-column="Value">
                <span class="row" data-copied={value}>{value}</span>
              </td>
              <td data-column="For">
                {purpose === "proof" ? "Proves ownership" : "Routes traffic"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const listed = (values: readonly string[]): string => values.join(", ");

function Check({ check }: { readonly check: DnsCheck }) {
  const { type, name, ok, expected, seen, failure, hint } = check;
  return (
    <li>
      <State tone={ok ? "good" : "care"}>{ok ? "OK" : "Not yet"}</State>{" "}
      <span class="mono">{`${type} ${name}`}</span>
      {ok ? null : (
        <p class="small soft">
          {`Found: ${seen.length === 0 ? failure ?? "nothing" : listed(seen)}. `}
          {`Expected: ${listed(expected)}.`}
          {hint === null ? "" : ` ${hint}`}
        </p>
      )}
    </li>
  );
}

const CERTIFICATES: Readonly<Record<Domain["certificate"]["status"], string>> = {
  none: "certificate not requested yet",
  pending: "certificate requested",
  issued: "certificate issued",
  failed: "certificate failed",
};

function DomainItem({ parts, domain }: { readonly parts: ProjectVisit; readonly domain: Domain }) {
  const { path, context } = parts;
  const { id, hostname, environment, redirectTo, status, certificate, lastCheck } = domain;
  const hidden = { id };
  return (
    <li>
      {status === "verified"
        ? <State tone={certificate.status === "failed" ? "bad" : "good"}>Verified</State>
        : <State tone="care">Waiting</State>}
      <div class="main">
        <span>{hostname}</span>
        <span class="dots soft">
          <span>
            {redirectTo === null ? `serves ${environment}` : `redirects to ${redirectTo}`}
          </span>
          <span>{certificate.error ?? CERTIFICATES[certificate.status]}</span>
          {lastCheck === null ? null : (
            <span>
              checked <Ago at={lastCheck.checkedAt} now={context.now} />
            </span>
          )}
        </span>
        {lastCheck === null || lastCheck.checks.length === 0
          ? null
          : (
            <details class="more" open={status !== "verified"}>
              <summary>DNS check results</summary>
              <ul class="stack small">
                {lastCheck.checks.map((check, index) => <Check key={index} check={check} />)}
              </ul>
            </details>
          )}
      </div>
      {canChange(parts)
        ? (
          <div class="acts">
            <a class="button quiet little" href={`${path("domains")}?show=${id}`}>
              Records<span class="hush">{` of ${hostname}`}</span>
            </a>
            <Form action={path("domains/verify")} csrf={context.csrf} hidden={hidden}>
              <button class="quiet little" type="submit">
                Check DNS<span class="hush">{` ${hostname}`}</span>
              </button>
            </Form>
            <EndButton
              action={path("domains/remove")}
              csrf={context.csrf}
              word="Remove"
              what={hostname}
              hidden={hidden}
            />
          </div>
        )
        : null}
    </li>
  );
}

/** Shows a domain with the DNS records that it requires. */
interface ShownRecords {
  readonly hostname: string;
  readonly records: readonly DnsRecord[];
  readonly notes: readonly string[];
}

function domainsPage(
  parts: ProjectVisit,
  shown: FormPage & {
    readonly domains: readonly Domain[];
    readonly nextCursor: string | null;
    readonly environments: readonly string[];
    readonly records?: ShownRecords | undefined;
  },
): Response {
  const { path, context, project } = parts;
  const { domains, nextCursor, environments, records, state = EMPTY } = shown;
  return projectPage(
    parts,
    { ...shown, here: "domains", about: "domains" },
    <>
      {records === undefined ? null : (
        <Card
          title={`Set these records for ${records.hostname}`}
          id="records"
          lead="Add them where you manage the DNS of this domain."
        >
          <div class="body">
            <Records records={records.records} />
            {records.notes.map((note) => <Notice key={note} kind="care">{note}</Notice>)}
          </div>
        </Card>
      )}
      <Card title="Domains" id="domains">
        {domains.length === 0
          ? (
            <Empty
              title="No custom domains yet"
              command={`svc domains add www.example.com --project-id ${project.name}`}
            >
              Add one below, or run:
            </Empty>
          )
          : (
            <ol class="rows">
              {domains.map((domain) => (
                <DomainItem
                  key={domain.id}
                  parts={parts}
                  domain={domain}
                />
              ))}
            </ol>
          )}
      </Card>
      <Pager path={path("domains")} cursor={cursorOf(parts)} nextCursor={nextCursor} />
      {canChange(parts)
        ? (
          <Card title="Add a domain" id="add">
            <div class="body">
              <Trouble state={state} />
              <Form action={path("domains")} csrf={context.csrf} class="line-form">
                <Field
                  label="Hostname"
                  name="hostname"
                  state={state}
                  autocomplete="off"
                  maxlength={1000}
                />
                <SelectField
                  label="Environment"
                  name="environment"
                  values={environments}
                  chosen={state.values.environment ?? "production"}
                />
                <button type="submit">Add</button>
              </Form>
            </div>
          </Card>
        )
        : null}
    </>,
  );
}

const AT = "/workspaces/:slug/projects/:project/domains";

async function recordsOf(
  { api, project }: ProjectVisit,
  domain: string | null,
): Promise<ShownRecords | undefined> {
  if (domain === null) return undefined;
  const params = { project: project.name, domain };
  const answer = await api.call(endpoints.getDomain, { params });
  return { hostname: answer.domain.hostname, ...answer };
}

export function bindDomains(bind: PageBinder, services: BoardServices): void {
  const show = async (visit: PersonVisit, shown: FormPage = {}) => {
    const parts = await openProject(visit, services);
    const { api, project } = parts;
    const params = { project: project.name };
    const cursor = cursorOf(parts);
    const [page, environments, records] = await Promise.all([
      api.call(endpoints.listDomains, {
        params,
        query: { cursor: cursor ?? undefined },
      }),
      environmentNames(parts),
      recordsOf(parts, visit.query.get("show")),
    ]);
    const { items: domains, nextCursor } = page;
    return domainsPage(parts, { ...shown, domains, nextCursor, environments, records });
  };

  bind.personal("GET", AT, (visit) => show(visit));

  bind.personal("POST", AT, async (visit) => {
    const { api, project, path } = await openProject(visit, services);
    const { hostname = "", environment = "" } = visit.fields;
    try {
      const { domain } = await api.call(endpoints.addDomain, {
        params: { project: project.name },
        body: { hostname, environment },
      });
      return goTo(`${path("domains")}?show=${domain.id}`);
    } catch (error) {
      return show(visit, refused(error, visit.fields));
    }
  });

  bind.personal("POST", `${AT}/verify`, async (visit) => {
    const { api, project, path } = await openProject(visit, services);
    const domain = visit.fields.id ?? "";
    const params = { project: project.name, domain };
    const answer = await api.call(endpoints.verifyDomain, { params });
    const isVerified = answer.domain.status === "verified";
    return goTo(`${path("domains")}?${isVerified ? "done=domain-verified" : `show=${domain}`}`);
  });

  bind.asking(`${AT}/remove`, {
    ask: askOnProject(services, (parts) => QUESTIONS.domain(namedIn(parts))),
    run: async (visit) => {
      const { api, project, back } = await openProject(visit, services);
      const params = { project: project.name, domain: visit.fields.id ?? "" };
      await api.call(endpoints.deleteDomain, { params });
      return back("domains", "domain-removed");
    },
  });
}
