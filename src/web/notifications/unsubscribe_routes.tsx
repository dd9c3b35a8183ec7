/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module The page that turns off emails in a category, and the one-click request that email
 * clients send to the same URL (RFC 8058). The signed token in the URL is sufficient, so no sign-in
 * is needed.
 */
import type { Router, Visit } from "../../platform/core/http/mod.ts";
import { deadLinkPage } from "../layout/dead_link_page.tsx";
import { EntryFrame } from "../layout/frames.tsx";
import { showPage } from "../layout/document.tsx";
import {
  readUnsubscription,
  UNSUBSCRIBE_PATH,
  type Unsubscription,
} from "../../platform/notifications/mod.ts";

function askPage(token: string, { category }: Unsubscription): Response {
  return showPage(
    <EntryFrame
      title={`Turn off ${category.toLowerCase()} emails?`}
      lead="Other channels and categories don't change. You still get critical emails."
    >
      <form method="post" action={`${UNSUBSCRIBE_PATH}/${token}`}>
        <button type="submit">Turn off</button>
      </form>
    </EntryFrame>,
    { title: "Turn off emails" },
  );
}

function donePage({ category }: Unsubscription): Response {
  return showPage(
    <EntryFrame
      title={`No more ${category.toLowerCase()} emails`}
      lead="You can turn them on again in your notification preferences."
    >
      <p>
        <a class="button quiet" href="/account">Go to my account</a>
      </p>
    </EntryFrame>,
    { title: "Emails turned off" },
  );
}

const unknownPage = (): Response =>
  deadLinkPage({
    lead:
      "The link is incomplete or has been changed. Sign in to change your notification preferences.",
    path: "/sign-in",
    word: "Sign in",
    title: "Unknown link",
  });

export function bindUnsubscribe(router: Router, services: {
  unsubscribeKey(): Promise<string>;
  /** Turns off emails in a category. */
  unsubscribe(unsubscription: Unsubscription): Promise<void>;
}): void {
  const read = async ({ params }: Visit) => {
    const token = params.token ?? "";
    return { token, unsubscription: readUnsubscription(token, await services.unsubscribeKey()) };
  };
  router.page("GET", `${UNSUBSCRIBE_PATH}/:token`, async (visit) => {
    const { token, unsubscription } = await read(visit);
    return unsubscription === undefined ? unknownPage() : askPage(token, unsubscription);
  });
  router.page("POST", `${UNSUBSCRIBE_PATH}/:token`, async (visit) => {
    const { unsubscription } = await read(visit);
    if (unsubscription === undefined) return unknownPage();
    await services.unsubscribe(unsubscription);
    return donePage(unsubscription);
  });
}
