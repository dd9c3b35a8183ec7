/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The bar at the top of every page for signed-in people. */
import type { Child } from "hono/jsx";
import type { PageContext } from "./page_context.ts";
import { PALETTE_PATH } from "./palette_script.ts";
import { Form, Mark } from "./pieces.tsx";

/** A page's location: the workspace and, for a project page, the project. */
export interface Place {
  readonly workspace: { readonly slug: string; readonly name: string };
  /** The project that the page belongs to. */
  readonly project?: string | undefined;
}

export const overviewPath = (slug: string): string => `/workspaces/${slug}/projects`;
export const auditPath = (slug: string): string => `/workspaces/${slug}/audit`;
export const keysPath = (slug: string): string => `/workspaces/${slug}/keys`;
export const publishersPath = (slug: string): string => `/workspaces/${slug}/publishers`;
export const webhooksPath = (slug: string): string => `/workspaces/${slug}/webhooks`;
export const usagePath = (slug: string): string => `/workspaces/${slug}/usage`;
export const searchPath = (slug: string): string => `/workspaces/${slug}/search`;
/** Returns the path of a project, or of one of its pages such as `logs`. */
export const projectPath = (slug: string, project: string, page = ""): string =>
  `${overviewPath(slug)}/${project}${page === "" ? "" : `/${page}`}`;

function Switcher({ context, place }: {
  readonly context: PageContext;
  readonly place: Place | undefined;
}) {
  return (
    <details class="switch">
      <summary>{place?.workspace.name ?? "Workspaces"}</summary>
      <ul>
        {context.workspaces.map(({ slug, name }) => (
          <li key={slug}>
            <a
              href={overviewPath(slug)}
              aria-current={slug === place?.workspace.slug ? "true" : undefined}
            >
              {name}
            </a>
          </li>
        ))}
        <li class="last">
          <a href="/workspaces">All workspaces</a>
        </li>
      </ul>
    </details>
  );
}

function Way({ href, path, children }: {
  readonly href: string;
  readonly path: string;
  children?: Child;
}) {
  const isHere = path === href || path.startsWith(`${href}/`);
  return <a href={href} aria-current={isHere ? "true" : undefined}>{children}</a>;
}

/**
 * Shows the link to the search page. The dashboard's script also opens the search with a keyboard
 * shortcut.
 */
function SearchWay({ href }: { readonly href: string }) {
  return (
    <a class="find" href={href} data-search={PALETTE_PATH} title="Search (/ or Ctrl K)">
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="8.5" cy="8.5" r="5.5" />
        <path d="M12.8 12.8 17.5 17.5" />
      </svg>
      <span>Search</span>
    </a>
  );
}

/**
 * Shows the sign-out button. On narrow screens, where the bar has no room, the button is on the
 * settings pages instead.
 */
export function SignOut({ csrf }: { readonly csrf: string }) {
  return (
    <Form action="/sign-out" csrf={csrf} class="inline">
      <button class="plain" type="submit">Sign out</button>
    </Form>
  );
}

export function Bar({ context, place }: {
  readonly context: PageContext;
  readonly place?: Place | undefined;
}) {
  const { person, csrf, path, workspaces } = context;
  const searched = place?.workspace ?? workspaces[0];
  return (
    <header class="bar" data-person={person.user.id}>
      <nav class="trail" aria-label="Breadcrumb">
        <Mark />
        <span class="sep" aria-hidden="true">/</span>
        <Switcher context={context} place={place} />
        {place?.project === undefined ? null : (
          <>
            <span class="sep there" aria-hidden="true">/</span>
            <a class="here there" href={projectPath(place.workspace.slug, place.project)}>
              {place.project}
            </a>
          </>
        )}
      </nav>
      <nav class="ways" aria-label="You">
        {searched === undefined ? null : (
          <SearchWay
            href={searchPath(searched.slug) +
              (place?.project === undefined ? "" : `?project=${place.project}`)}
          />
        )}
        <Way href="/notifications" path={path}>
          Inbox <span class="count" data-unread=""></span>
        </Way>
        <a class="there" href="/docs">Docs</a>
        <a
          href="/account"
          aria-current={path.startsWith("/account") ? "true" : undefined}
          title={person.user.email ?? person.user.name}
        >
          Account
        </a>
        <SignOut csrf={csrf} />
      </nav>
    </header>
  );
}
