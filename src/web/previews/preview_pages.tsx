/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The pages shown when someone signs in to see a protected host. */
import { EntryFrame } from "../layout/frames.tsx";
import { showPage } from "../layout/document.tsx";

const HEADERS = { "referrer-policy": "no-referrer", "cache-control": "no-store" };

/**
 * Sends a browser to the protected host with a refresh. A redirect would not work, because the
 * sign-in form's content security policy blocks redirects to other hosts.
 */
export function leavingPage({ host, url }: { readonly host: string; readonly url: string }) {
  const title = "Opening the preview";
  return showPage(
    <EntryFrame title={title} lead={host}>
      <p>
        <a class="button" href={url}>Continue</a>
      </p>
    </EntryFrame>,
    { title, headers: { ...HEADERS, refresh: `0;url=${url}` } },
  );
}

/** Explains why a person has no access, and what to do. */
export function strangerPage({ host, email }: { readonly host: string; readonly email: string }) {
  const title = "You are not a member";
  return showPage(
    <EntryFrame
      title={title}
      lead={`${host} is for members of its workspace, and ${email} is not one.`}
    >
      <p>Ask the person who sent you here for a share link or an invitation.</p>
      <p>
        <a class="button quiet" href="/">Go to projects</a>
      </p>
    </EntryFrame>,
    { title, status: 403, headers: HEADERS },
  );
}
