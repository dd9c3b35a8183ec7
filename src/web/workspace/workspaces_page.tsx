/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The list of a person's workspaces, and the form for creating another one. */
import type { Workspace } from "../../contract/identity.ts";
import type { ListPart } from "../visit/long_list.ts";
import { Card, Field, Form, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage } from "../layout/form.ts";
import { formPageFacts } from "../layout/document.tsx";
import { overviewPath } from "../layout/bar.tsx";
import type { PageContext } from "../layout/page_context.ts";
import { Pager } from "../layout/board_pieces.tsx";
import { SettingsFrame } from "../layout/frames.tsx";
import { showSettings } from "../layout/show_board.ts";

export function workspacesPage(
  context: PageContext,
  shown: FormPage & { readonly next: string; readonly list: ListPart<Workspace> },
): Response {
  const { state = EMPTY, next, list } = shown;
  const { workspaces, csrf } = context;
  return showSettings(
    <SettingsFrame
      title="Workspaces"
      lead="A workspace contains projects, and the people and keys that can change them."
      context={context}
    >
      {workspaces.length === 0 ? null : (
        <section class="card" aria-label="Your workspaces">
          <ul class="items">
            {list.items.map(({ slug, name, role }) => (
              <li key={slug}>
                <a class="what" href={overviewPath(slug)}>
                  <span>{name}</span>
                  <span class="mono">{slug}</span>
                </a>
                <span class="tag">{role}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Pager path="/workspaces" cursor={list.cursor} nextCursor={list.nextCursor} />
      <Card
        title={workspaces.length === 0 ? "Create your first workspace" : "Create another workspace"}
        id="make"
      >
        <div class="body">
          <Trouble state={state} />
          <Form action="/workspaces" csrf={csrf} hidden={{ next }}>
            <Field
              label="Name"
              name="name"
              state={state}
              autocomplete="organization"
              maxlength={100}
            />
            <Field
              label="Slug"
              name="slug"
              state={state}
              autocomplete="off"
              hint="Used in URLs and the CLI. Lowercase letters, digits and hyphens. Can't be changed later."
            />
            <div>
              <button type="submit">Create workspace</button>
            </div>
          </Form>
        </div>
      </Card>
    </SettingsFrame>,
    formPageFacts("Workspaces", shown),
  );
}
