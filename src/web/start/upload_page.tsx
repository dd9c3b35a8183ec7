/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The page for creating a project from files on the user's computer. */
import type { BoardContext } from "../layout/page_context.ts";
import { Card, Field, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage } from "../layout/form.ts";
import { startPage } from "./start_page.tsx";
import { newProjectPath } from "./start_tiles.tsx";
import { UploadForm } from "./upload_form.tsx";
import { UPLOAD_SCRIPT_PATH } from "./upload_script.ts";

export function uploadPage(context: BoardContext, shown: FormPage = {}): Response {
  const { slug } = context.workspace;
  const { state = EMPTY } = shown;
  return startPage(
    context,
    { ...shown, title: "Upload a folder or zip", scripts: [UPLOAD_SCRIPT_PATH] },
    <Card
      title="Files"
      id="upload"
      lead="The platform builds the files, then deploys them."
    >
      <div class="body">
        <Trouble state={state} />
        <UploadForm
          action={newProjectPath(slug, "upload")}
          csrf={context.csrf}
          slug={slug}
          state={state}
        >
          <Field
            label="Project name"
            name="name"
            state={state}
            autocomplete="off"
            maxlength={40}
            hint="Used in the URL of the site. Lowercase letters, digits and hyphens."
          />
        </UploadForm>
      </div>
    </Card>,
  );
}
