/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A workspace's trusted publishers, and the form for a new one. */
import { endpoints } from "../../contract/endpoints.ts";
import {
  ISSUER_MAX,
  MAX_PUBLISHERS,
  PUBLISHER_PROVIDERS,
  REPOSITORY_MAX,
  type TrustedPublisher,
} from "../../contract/publishers.ts";
import { EMPTY, type FormPage, type FormState, refused } from "../layout/form.ts";
import { formPageFacts, goTo } from "../layout/document.tsx";
import { publishersPath } from "../layout/bar.tsx";
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { type Grant, type GrantChoices, PermissionFields, ProjectFields } from "./grant_fields.tsx";
import { openKeys } from "./open_keys.ts";
import { grantProblem, readGrant } from "./read_grant.ts";
import type { BoardContext } from "../layout/page_context.ts";
import {
  Card,
  EndButton,
  Field,
  type FieldProps,
  Form,
  MadeAndUsed,
  Trouble,
} from "../layout/pieces.tsx";
import { Empty, Name, SelectField } from "../layout/board_pieces.tsx";
import { showBoard } from "../layout/show_board.ts";
import { WorkspaceFrame } from "../layout/board_frame.tsx";
import { grantText } from "./grant_text.ts";
import { QUESTIONS } from "../asking/questions.ts";
import { namedIn } from "../visit/board_context.ts";

const USUAL: Grant = { permissions: ["deploy-previews"], projects: null };

/** The claims that can be required in a token. */
const LIMITS: readonly Pick<FieldProps, "name" | "label" | "hint" | "maxlength">[] = [
  {
    name: "branch",
    label: "Branch",
    hint: "A name or a pattern with *. Leave empty for any branch.",
  },
  { name: "tag", label: "Tag", hint: "A name or a pattern with *. Leave empty for no tags." },
  { name: "environment", label: "Job environment", hint: "Leave empty for any" },
  {
    name: "workflow",
    label: "Workflow file",
    hint: "For example deploy.yml. Leave empty for any.",
  },
  {
    name: "issuer",
    label: "Issuer",
    hint: "Only for GitHub Enterprise Server or self-hosted GitLab",
    maxlength: ISSUER_MAX,
  },
];

/** Describes the workflow runs that get keys. */
function runsOf(publisher: TrustedPublisher): string {
  const { branch, tag, pullRequests, environment, workflow, issuer } = publisher;
  return [
    branch !== null ? `branch ${branch}` : tag === null ? "every branch" : "",
    tag === null ? "" : `tag ${tag}`,
    pullRequests ? "pull requests" : "",
    environment === null ? "" : `environment ${environment}`,
    workflow === null ? "" : `workflow ${workflow}`,
    `by ${issuer}`,
  ].filter((part) => part !== "").join(", ");
}

function PublisherItem({ publisher, context, choices }: {
  readonly publisher: TrustedPublisher;
  readonly context: BoardContext;
  readonly choices: GrantChoices;
}) {
  const { id, repository, provider, permissions, projects, createdAt, lastUsedAt } = publisher;
  const names = new Map(choices.projects.map((each) => [each.id, each.name]));
  const reach = projects?.map((each) => names.get(each) ?? "a project").join(", ");
  return (
    <li>
      <div class="what">
        <span>
          {repository} <span class="tag">{provider}</span>
        </span>
        <span>
          <Name text={runsOf(publisher)} />
        </span>
        <span>{grantText(permissions, reach ?? "all projects")}</span>
        <MadeAndUsed word="Added" createdAt={createdAt} lastUsedAt={lastUsedAt} />
      </div>
      <EndButton
        action={`${publishersPath(context.workspace.slug)}/remove`}
        csrf={context.csrf}
        word="Remove"
        what={repository}
        hidden={{ id }}
      />
    </li>
  );
}

function AddForm({ context, choices, state, grant }: {
  readonly context: BoardContext;
  readonly choices: GrantChoices;
  readonly state: FormState;
  readonly grant: Grant;
}) {
  return (
    <Form action={publishersPath(context.workspace.slug)} csrf={context.csrf}>
      <SelectField
        label="CI provider"
        name="provider"
        values={PUBLISHER_PROVIDERS}
        chosen={state.values.provider ?? "github"}
      />
      <Field
        label="Repository"
        name="repository"
        state={state}
        hint="For example acme/shop"
        autocomplete="off"
        maxlength={REPOSITORY_MAX}
      />
      {LIMITS.map((limit) => (
        <Field
          key={limit.name}
          maxlength={255}
          {...limit}
          state={state}
          autocomplete="off"
          optional
        />
      ))}
      <label class="choice" for="pull-requests">
        <input
          id="pull-requests"
          type="checkbox"
          name="pullRequests"
          value="yes"
          checked={state.values.pullRequests === "yes"}
        />
        <span>
          <strong>Also for pull and merge requests</strong>
          <span class="soft small">Limited to read and deploy-previews</span>
        </span>
      </label>
      <PermissionFields chosen={grant.permissions} />
      <ProjectFields chosen={grant.projects} choices={choices} />
      <button type="submit">Trust publisher</button>
    </Form>
  );
}

function publishersPage(
  context: BoardContext,
  { publishers, choices, grant = USUAL, ...shown }: FormPage & {
    readonly publishers: readonly TrustedPublisher[];
    readonly choices: GrantChoices;
    /** The selected permissions and projects. */
    readonly grant?: Grant;
  },
): Response {
  const { state = EMPTY } = shown;
  return showBoard(
    <WorkspaceFrame
      context={context}
      here="publishers"
      title="Trusted publishers"
      lead={
        <>
          Let GitHub Actions and GitLab CI deploy with short-lived keys, without storing a secret.
          {" "}
          <a href="/docs/ci">Set up a workflow</a>
        </>
      }
    >
      <Card title="Publishers" id="publishers">
        {publishers.length === 0
          ? (
            <Empty title="No trusted publishers yet" command="svc keys publishers add">
              Trust one below, or run:
            </Empty>
          )
          : (
            <ul class="items">
              {publishers.map((publisher) => (
                <PublisherItem
                  key={publisher.id}
                  publisher={publisher}
                  context={context}
                  choices={choices}
                />
              ))}
            </ul>
          )}
      </Card>
      <Card title="Trust a publisher" id="add">
        <div class="body">
          <Trouble state={state} />
          <AddForm context={context} choices={choices} state={state} grant={grant} />
        </div>
      </Card>
    </WorkspaceFrame>,
    formPageFacts("Trusted publishers", shown),
  );
}

const AT = "/workspaces/:slug/publishers";

/** Fields that match any value if they are left empty. */
const OPTIONAL = ["branch", "tag", "environment", "workflow", "issuer"] as const;

export function bindPublishers(bind: PageBinder, services: BoardServices): void {
  const show = async (
    visit: PersonVisit,
    shown: FormPage & { readonly grant?: Grant } = {},
  ): Promise<Response> => {
    const { context, api, choices } = await openKeys(visit, services);
    const { items: publishers } = await api.call(endpoints.listPublishers, {
      query: { limit: MAX_PUBLISHERS },
    });
    return publishersPage(context, { ...shown, publishers, choices });
  };

  bind.personal("GET", AT, (visit) => show(visit));
  bind.personal("POST", AT, async (visit) => {
    const { api, context } = await openKeys(visit, services);
    const { fields } = visit;
    const grant = readGrant(visit);
    const failure = grantProblem(grant);
    if (failure !== undefined) {
      return await show(visit, {
        state: { values: fields, problems: {}, failure },
        status: 400,
        grant,
      });
    }
    const { permissions, projects } = grant;
    try {
      await api.call(endpoints.createPublisher, {
        body: {
          provider: PUBLISHER_PROVIDERS.find((each) => each === fields.provider) ?? "github",
          repository: fields.repository?.trim() ?? "",
          ...Object.fromEntries(
            OPTIONAL.flatMap((name) => {
              const text = fields[name]?.trim() ?? "";
              return text === "" ? [] : [[name, text]];
            }),
          ),
          pullRequests: fields.pullRequests === "yes",
          permissions,
          projects: projects && [...projects],
        },
      });
    } catch (error) {
      return await show(visit, { ...refused(error, fields), grant });
    }
    return goTo(`${publishersPath(context.workspace.slug)}?done=publisher-added`);
  });

  bind.asking(`${AT}/remove`, {
    ask: async (visit) => QUESTIONS.publisher(namedIn(await openKeys(visit, services))),
    run: async (visit) => {
      const { api, context } = await openKeys(visit, services);
      await api.call(endpoints.deletePublisher, { params: { publisher: visit.fields.id ?? "" } });
      return goTo(`${publishersPath(context.workspace.slug)}?done=publisher-removed`);
    },
  });
}
