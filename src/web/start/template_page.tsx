/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The page for creating a project from a template. */
import type { BoardContext } from "../layout/page_context.ts";
import { Card, Field, Form, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage } from "../layout/form.ts";
import { startPage } from "./start_page.tsx";
import { newProjectPath } from "./start_tiles.tsx";
import { TEMPLATES } from "./templates.ts";

export function templatePage(context: BoardContext, shown: FormPage = {}): Response {
  const { slug } = context.workspace;
  const { state = EMPTY } = shown;
  const chosen = state.values.template ?? TEMPLATES[0]?.id;
  return startPage(
    context,
    { ...shown, title: "Start from a template" },
    <Card
      title="Template"
      id="template"
      lead="The platform creates a git repository with the template's files. You can clone it."
    >
      <div class="body">
        <Trouble state={state} />
        <Form action={newProjectPath(slug, "template")} csrf={context.csrf}>
          <fieldset class="choices">
            <legend>Start with</legend>
            {TEMPLATES.map(({ id, name, about }) => (
              <label class="choice" key={id}>
                <input type="radio" name="template" value={id} checked={id === chosen} />
                <span>
                  <b>{name}</b>
                  <span class="small soft">{about}</span>
                </span>
              </label>
            ))}
          </fieldset>
          <Field
            label="Project name"
            name="name"
            state={state}
            autocomplete="off"
            maxlength={40}
            hint="Used in the URL of the site. Lowercase letters, digits and hyphens."
          />
          <div>
            <button type="submit">Create and deploy</button>
          </div>
        </Form>
      </div>
    </Card>,
  );
}
