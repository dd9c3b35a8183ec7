/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A project's deploy hooks, with the number of times that each hook has been used. */
import { endpoints } from "../../contract/endpoints.ts";
import { type DeployHook, HOOK_SCOPES } from "../../contract/hooks.ts";
import { EMPTY, type FormPage, refused } from "../layout/form.ts";
import { type BoardServices, namedIn } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import {
  askOnProject,
  canChange,
  cursorOf,
  openProject,
  type ProjectVisit,
} from "./open_project.ts";
import { QUESTIONS } from "../asking/questions.ts";
import { BRANCH_MAX } from "../../contract/projects.ts";
import { Ago, Branch, Empty, Pager, SelectField } from "../layout/board_pieces.tsx";
import { Card, EndButton, Field, Form, Notice, Trouble } from "../layout/pieces.tsx";
import { projectPage } from "./project_page.tsx";

const SCOPE_WORDS: Readonly<Record<DeployHook["scope"], string>> = {
  Production: "production",
  Preview: "previews",
  All: "both",
};

function HookItem({ parts, hook }: { readonly parts: ProjectVisit; readonly hook: DeployHook }) {
  const { path, context: { csrf, now } } = parts;
  const { id, name, branch, restrictBranch, scope, triggeredCount, lastTriggeredAt } = hook;
  return (
    <li>
      <div class="main">
        <span>{name}</span>
        <span class="dots soft">
          <span>
            <Branch name={branch} />
            {restrictBranch ? " only" : ""}
          </span>
          <span>{scope === "All" ? "production and previews" : `${SCOPE_WORDS[scope]} only`}</span>
          {triggeredCount === 0
            ? null
            : <span>{triggeredCount === 1 ? "used once" : `used ${triggeredCount} times`}</span>}
          {lastTriggeredAt === null ? <span>never used</span> : (
            <span>
              last used <Ago at={lastTriggeredAt} now={now} />
            </span>
          )}
        </span>
      </div>
      {canChange(parts)
        ? (
          <div class="acts">
            <EndButton
              action={path("hooks/regenerate")}
              csrf={csrf}
              word="Regenerate"
              what={`the URL of ${name}`}
              hidden={{ id }}
            />
            <EndButton
              action={path("hooks/delete")}
              csrf={csrf}
              word="Delete"
              what={name}
              hidden={{ id }}
            />
          </div>
        )
        : null}
    </li>
  );
}

/** A new or changed hook. Its URL and secret are shown only once. */
interface MadeHook {
  readonly name: string;
  readonly url: string;
  /** The secret with which a forge signs its calls; `null` if the hook is not signed. */
  readonly secret: string | null;
}

function MadeCard({ made }: { readonly made: MadeHook }) {
  const body = '{"branch": "main", "commitSha": "…"}';
  return (
    <Card title={`URL of ${made.name}`} id="made">
      <div class="body">
        <Notice kind="care">
          Copy it now. You won't see it again. Anyone who has it can deploy.
        </Notice>
        <code class="secret">{made.url}</code>
        {made.secret === null ? null : (
          <>
            <p>The signing secret, for the webhook in the forge's settings:</p>
            <code class="secret">{made.secret}</code>
          </>
        )}
        <pre class="terminal" tabindex={0}>
          {`curl -X POST ${made.url} \\\n  -H 'content-type: application/json' \\\n  -d '${body}'`}
        </pre>
      </div>
    </Card>
  );
}

function hooksPage(
  parts: ProjectVisit,
  shown: FormPage & {
    readonly hooks: readonly DeployHook[];
    readonly nextCursor: string | null;
    readonly made?: MadeHook | undefined;
  },
): Response {
  const { path, context, project } = parts;
  const { hooks, nextCursor, made, state = EMPTY } = shown;
  return projectPage(
    parts,
    { ...shown, here: "hooks", about: "deploy hooks" },
    <>
      {made === undefined ? null : <MadeCard made={made} />}
      <Card
        title="Deploy hooks"
        id="hooks"
        lead="A deploy hook is a secret URL. Requesting it deploys a commit."
      >
        {hooks.length === 0
          ? (
            <Empty
              title="No deploy hooks yet"
              command={`svc hooks create --name ci --scope All --project-id ${project.name}`}
            >
              Create one below, or run:
            </Empty>
          )
          : (
            <ol class="rows plain">
              {hooks.map((hook) => <HookItem key={hook.id} parts={parts} hook={hook} />)}
            </ol>
          )}
      </Card>
      <Pager path={path("hooks")} cursor={cursorOf(parts)} nextCursor={nextCursor} />
      {canChange(parts)
        ? (
          <Card title="Create a deploy hook" id="make">
            <div class="body">
              {project.gitUrl === null
                ? (
                  <p class="soft">
                    This project has no repository URL, so its hooks build commits pushed to the
                    platform. Run <code>svc link --git-remote</code> and{" "}
                    <code>git push</code>, or set the URL of another repository in the{" "}
                    <a href={path("settings")}>settings</a>.
                  </p>
                )
                : null}
              <Trouble state={state} />
              <Form action={path("hooks")} csrf={context.csrf} class="line-form">
                <Field label="Name" name="name" state={state} autocomplete="off" maxlength={100} />
                <Field
                  label="Branch"
                  name="branch"
                  state={state}
                  autocomplete="off"
                  initial={project.branch}
                  maxlength={BRANCH_MAX}
                />
                <SelectField
                  label="Deploys to"
                  name="scope"
                  values={HOOK_SCOPES}
                  words={SCOPE_WORDS}
                  chosen={state.values.scope ?? "All"}
                />
                <button type="submit">Create</button>
              </Form>
            </div>
          </Card>
        )
        : null}
    </>,
  );
}

const AT = "/workspaces/:slug/projects/:project/hooks";

export function bindHooks(bind: PageBinder, services: BoardServices): void {
  const show = async (
    visit: PersonVisit,
    shown: FormPage & { readonly made?: MadeHook } = {},
  ) => {
    const parts = await openProject(visit, services);
    const cursor = cursorOf(parts);
    const { items: hooks, nextCursor } = await parts.api.call(endpoints.listHooks, {
      query: { projectId: parts.project.id, cursor: cursor ?? undefined },
    });
    return hooksPage(parts, { ...shown, hooks, nextCursor });
  };

  bind.personal("GET", AT, (visit) => show(visit));

  bind.personal("POST", AT, async (visit) => {
    const { api, project } = await openProject(visit, services);
    const { name = "", branch = "", scope } = visit.fields;
    try {
      const made = await api.call(endpoints.createHook, {
        body: {
          projectId: project.id,
          name,
          branch,
          scope: HOOK_SCOPES.find((known) => known === scope) ?? "All",
        },
      });
      return await show(visit, { made });
    } catch (error) {
      return show(visit, refused(error, visit.fields));
    }
  });

  bind.asking(`${AT}/regenerate`, {
    ask: askOnProject(services, (parts) => QUESTIONS.hookUrl(namedIn(parts))),
    run: async (visit) => {
      const { api } = await openProject(visit, services);
      const params = { hook: visit.fields.id ?? "" };
      return show(visit, { made: await api.call(endpoints.regenerateHook, { params }) });
    },
  });

  bind.asking(`${AT}/delete`, {
    ask: askOnProject(services, (parts) => QUESTIONS.hook(namedIn(parts))),
    run: async (visit) => {
      const { api, back } = await openProject(visit, services);
      await api.call(endpoints.deleteHook, { params: { hook: visit.fields.id ?? "" } });
      return back("hooks", "hook-deleted");
    },
  });
}
