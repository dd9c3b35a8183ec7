/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The ways to create the first deployment: repository, files, template, CLI. */
import type { Child } from "hono/jsx";
import { Card } from "../layout/pieces.tsx";

/** Returns the path of the page for creating a project, or of the page for one way to create it. */
export const newProjectPath = (slug: string, way?: "git" | "upload" | "template"): string =>
  `/workspaces/${slug}/new-project${way === undefined ? "" : `/${way}`}`;

/** Commands that deploy a folder that is not yet a project on the platform. */
export const FIRST_COMMANDS = ["svc login", "svc init --create", "svc deploy --prod"] as const;

function Tile({ href, title, children }: {
  readonly href: string;
  readonly title: string;
  children?: Child;
}) {
  return (
    <li class="tile">
      <div class="top">
        <h2>
          <a href={href}>{title}</a>
        </h2>
      </div>
      <p class="soft">{children}</p>
    </li>
  );
}

/** Shows the commands that deploy a folder to the platform at `url`. */
export function CommandLine({ url, commands }: {
  readonly url: string;
  readonly commands: readonly string[];
}) {
  return (
    <Card title="Use the CLI" id="cli" lead="In your project folder, run:">
      <div class="body">
        <pre class="terminal" tabindex={0}>
          {`export SVC_API_URL=${url}\n${commands.join("\n")}`}
        </pre>
      </div>
    </Card>
  );
}

/** Shows the three options that require only a browser. */
export function StartTiles({ slug }: { readonly slug: string }) {
  return (
    <ul class="tiles" aria-label="New project">
      <Tile href={newProjectPath(slug, "git")} title="Import a git repository">
        The platform builds the branch you choose. Private repositories need a token or an SSH key.
      </Tile>
      <Tile href={newProjectPath(slug, "upload")} title="Upload a folder or zip">
        A finished site, or a project that the platform builds.
      </Tile>
      <Tile href={newProjectPath(slug, "template")} title="Start from a template">
        Static HTML, Hono, Astro, Next.js or SvelteKit, live in a minute.
      </Tile>
    </ul>
  );
}
