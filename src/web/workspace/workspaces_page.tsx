/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * The list of a person's workspaces, and the form that makes another.
 *
 * @module
 */
import type { Workspace } from "../../contract/mod.ts";
import type { ListPart } from "../visit/mod.ts";
import {
  Card,
  EMPTY,
  Field,
  Form,
  type FormPage,
  formPageFacts,
  overviewPath,
  type PageContext,
  Pager,
  SettingsFrame,
  showSettings,
  Trouble,
} from "../layout/mod.ts";

export function workspacesPage(
  context: PageContext,
  shown: FormPage & { readonly next: string; readonly list: ListPart<Workspace> },
): Response {
  const { state = EMPTY, next, list } = shown;
  const { workspaces, csrf } = context;
  return showSettings(
    <SettingsFrame
      title="Workspaces"
      lead="A workspace holds projects, and the people and keys that may change them."
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
        title={workspaces.length === 0 ? "Make your first workspace" : "Make another"}
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
              hint="For the tool and addresses: lower-case letters, digits and hyphens. It stays."
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
