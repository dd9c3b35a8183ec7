/**
 * @module `/previews/sign-in`: protected hosts send people here to sign in, and people who have
 * signed in are sent back.
 */
import { PREVIEW_SIGN_IN_PATH, type PreviewSignIn } from "../../platform/previews/mod.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { leavingPage, strangerPage } from "./preview_pages.tsx";

export interface PreviewPageServices {
  readonly previewSignIn: Pick<PreviewSignIn, "returnOf">;
}

export function bindPreviewPages(bind: PageBinder, services: PreviewPageServices): void {
  bind.personal("GET", PREVIEW_SIGN_IN_PATH, async ({ person, query }) => {
    const answer = await services.previewSignIn.returnOf(person, query.get("request") ?? "");
    if (answer.type === "grant") return leavingPage(answer);
    return strangerPage({ host: answer.host, email: person.user.email ?? person.user.name });
  });
}
