/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The two page frames: one for pages before sign-in, and one for settings. */
import type { Child } from "hono/jsx";
import { Bar, SignOut } from "./bar.tsx";
import { Contours } from "./contours.tsx";
import type { PageContext } from "./page_context.ts";
import { DoneNotice, Mark } from "./pieces.tsx";

function Pitch({ short }: { readonly short: boolean }) {
  return (
    <div class="pitch">
      <p>Your folder, live at the edge.</p>
      {short ? null : (
        <pre aria-hidden="true">
        <i>$</i> <b>svc login</b>{"\n"}
        <i>$</i> <b>svc init --create</b>{"\n"}
        <i>$</i> <b>svc deploy --prod</b>
        </pre>
      )}
    </div>
  );
}

/** Renders the frame for sign-up, sign-in and confirmations. */
export function EntryFrame({ title, lead, roomy, shortPitch, crest, children }: {
  readonly title: string;
  readonly lead?: Child;
  readonly roomy?: boolean;
  /** Whether the frame omits the commands because the page shows them. */
  readonly shortPitch?: boolean;
  /** An image above the title. */
  readonly crest?: Child;
  children?: Child;
}) {
  return (
    <div class="entry">
      <aside aria-label="About">
        <Contours />
        <Mark />
        <Pitch short={shortPitch === true} />
        <footer>CLI, platform and edge in one program.</footer>
      </aside>
      <main id="main">
        <div class={roomy === true ? "sheet roomy" : "sheet"}>
          <header>
            {crest}
            <h1>{title}</h1>
            {lead ? <p class="soft">{lead}</p> : null}
          </header>
          {children}
        </div>
      </main>
    </div>
  );
}

const ACCOUNT_LINKS = [
  ["/account", "Security"],
  ["/account/sessions", "Sessions and devices"],
  ["/account/activity", "Activity"],
  ["/account/channels", "Channels"],
] as const;

const NOTIFICATION_LINKS = [
  ["/notifications", "Inbox"],
  ["/notifications/preferences", "Preferences"],
] as const;

function PageLink({ href, path, children }: { href: string; path: string; children?: Child }) {
  return (
    <li>
      <a href={href} aria-current={href === path ? "page" : undefined}>{children}</a>
    </li>
  );
}

export function SettingsFrame({ title, lead, context, children }: {
  readonly title: string;
  readonly lead?: Child;
  readonly context: PageContext;
  children?: Child;
}) {
  const { workspaces, path } = context;
  return (
    <>
      <Bar context={context} />
      <div class="shell">
        <nav class="rooms" aria-label="Settings">
          <div>
            <h2>Notifications</h2>
            <ul>
              {NOTIFICATION_LINKS.map(([href, name]) => (
                <PageLink key={href} href={href} path={path}>{name}</PageLink>
              ))}
            </ul>
          </div>
          <div>
            <h2>Account</h2>
            <ul>
              {ACCOUNT_LINKS.map(([href, name]) => (
                <PageLink key={href} href={href} path={path}>{name}</PageLink>
              ))}
            </ul>
          </div>
          <div>
            <h2>Workspaces</h2>
            <ul>
              {workspaces.map(({ slug, name }) => (
                <PageLink href={`/workspaces/${slug}`} path={path}>{name}</PageLink>
              ))}
              <PageLink href="/workspaces" path={path}>All workspaces</PageLink>
            </ul>
          </div>
        </nav>
        <main class="content" id="main">
          <header>
            <h1>{title}</h1>
            {lead ? <p class="soft">{lead}</p> : null}
            <div class="narrow">
              <SignOut csrf={context.csrf} />
            </div>
          </header>
          <DoneNotice context={context} />
          {children}
        </main>
      </div>
    </>
  );
}
