/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module The page for creating a project: first the ways to deploy, then a form for an empty
 * project.
 */
import type { BoardContext } from "../layout/page_context.ts";
import { Card, Field, Form, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage } from "../layout/form.ts";
import { formPageFacts } from "../layout/document.tsx";
import { showBoard } from "../layout/show_board.ts";
import { WorkspaceFrame } from "../layout/board_frame.tsx";
import { CommandLine, FIRST_COMMANDS, newProjectPath, StartTiles } from "./start_tiles.tsx";

export function newProjectPage(
  context: BoardContext,
  shown: FormPage & { readonly url: string },
): Response {
  const { slug } = context.workspace;
  const { state = EMPTY, url } = shown;
  return showBoard(
    <WorkspaceFrame context={context} here="projects" title="New project">
      <StartTiles slug={slug} />
      <CommandLine url={url} commands={FIRST_COMMANDS} />
      <Card
        title="Create an empty project"
        id="make"
        lead="Set variables and domains first, and deploy later."
      >
        <div class="body">
          <Trouble state={state} />
          <Form action={newProjectPath(slug)} csrf={context.csrf}>
            <Field
              label="Name"
              name="name"
              state={state}
              autocomplete="off"
              maxlength={40}
              hint="Used in the URL. Lowercase letters, digits and hyphens."
            />
            <Field
              label="Git repository"
              name="gitUrl"
              state={state}
              autocomplete="off"
              optional
              hint="URL of a public repository to build. Leave empty to upload files, push with git, or use the CLI."
            />
            <Field
              label="Production branch"
              name="branch"
              state={state}
              autocomplete="off"
              optional
              initial="main"
            />
            <div>
              <button type="submit">Create project</button>
            </div>
          </Form>
        </div>
      </Card>
    </WorkspaceFrame>,
    formPageFacts("New project", shown),
  );
}
