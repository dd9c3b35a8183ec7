/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The first step of an import: the repository and its credentials. */
import type { BoardContext } from "../layout/page_context.ts";
import { Card, Field, Form, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage } from "../layout/form.ts";
import { GitFields } from "./git_fields.tsx";
import { startPage } from "./start_page.tsx";
import { newProjectPath } from "./start_tiles.tsx";

export function importPage(context: BoardContext, shown: FormPage = {}): Response {
  const { slug } = context.workspace;
  const { state = EMPTY } = shown;
  return startPage(
    context,
    { ...shown, title: "Import a git repository" },
    <Card
      title="Repository"
      id="repository"
      lead="The next page shows the branches and the apps that you can deploy."
    >
      <div class="body">
        <Trouble state={state} />
        <Form action={newProjectPath(slug, "git")} csrf={context.csrf}>
          <Field
            label="URL"
            name="gitUrl"
            state={state}
            autocomplete="off"
            focus
            hint="For example https://github.com/ada/shop.git or git@github.com:ada/shop.git."
          />
          <Field
            label="Project name"
            name="name"
            state={state}
            autocomplete="off"
            maxlength={40}
            optional
            hint="Used in the site's URL. Leave empty to use the repository's name."
          />
          <details
            class="more"
            open={state.failure !== undefined || state.problems.gitUrl !== undefined}
          >
            <summary>The repository is private</summary>
            <div class="stack">
              <GitFields state={state} />
            </div>
          </details>
          <div>
            <button type="submit">Continue</button>
          </div>
        </Form>
      </div>
    </Card>,
  );
}
