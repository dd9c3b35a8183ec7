/** @module The routes of sign-in, sign-up and sign-out. */
import { endpoints } from "../../contract/endpoints.ts";
import { checkFields, refused } from "../layout/form.ts";
import { goTo } from "../layout/document.tsx";
import type { PageBinder } from "../visit/page_binder.tsx";
import { safeReturnPath } from "../visit/return_path.ts";
import type {
  PasswordResetService,
  SignedIn,
  SignInService,
  SignUpService,
} from "../../platform/accounts/mod.ts";
import { selfCallerOf } from "../../platform/core/access/mod.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import {
  secondFactorPage,
  signInPage,
  signUpPage,
  usedWelcomePage,
  welcomePage,
} from "./entry_pages.tsx";
import { lookAtMailPage } from "./mail_link_pages.tsx";

/** Redirects to a path on this site and sets the cookies for a new session. */
export function redirectSignedIn({ setCookie, deviceCookie }: SignedIn, path: string): Response {
  const response = goTo(path, { "set-cookie": setCookie });
  response.headers.append("set-cookie", deviceCookie);
  return response;
}

const signUpFields = endpoints.signUp.body.omit({ next: true });
const claimFields = endpoints.claimOwner.body.omit({ token: true });

/** Gives all conflicts the same message, to reveal as little as possible about other accounts. */
function withoutEnumeration(error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== "conflict") return error;
  return new Failure(
    "conflict",
    "Cannot create an account with this email address. If it is yours, sign in instead",
  );
}

export interface EntryPageServices {
  readonly signIn: SignInService;
  readonly signUp: SignUpService;
  readonly passwordReset: Pick<PasswordResetService, "isPossible">;
}

export function bindEntryPages(
  bind: PageBinder,
  { signIn, signUp, passwordReset }: EntryPageServices,
  { hasMessenger }: { readonly hasMessenger: boolean },
): void {
  const doors = { canReset: passwordReset.isPossible, hasMessenger };
  bind.open("GET", "/sign-in", ({ person, query }) => {
    const next = safeReturnPath(query.get("next"));
    return person === undefined ? signInPage({ ...doors, next }) : goTo(next);
  });
  bind.open("POST", "/sign-in", async ({ fields, client }) => {
    const next = safeReturnPath(fields.next);
    const checked = checkFields(endpoints.signIn.body, fields);
    if (!checked.ok) return signInPage({ ...doors, next, state: checked.state, status: 400 });
    try {
      const answer = await signIn.signIn(checked.value, client);
      return answer.status === "signed_in"
        ? redirectSignedIn(answer, next)
        : secondFactorPage({ next, challenge: answer.challenge });
    } catch (error) {
      return signInPage({ ...doors, next, ...refused(error, fields) });
    }
  });
  bind.open("POST", "/sign-in/two-factor", async ({ fields, client }) => {
    const next = safeReturnPath(fields.next);
    const challenge = fields.challenge ?? "";
    const checked = checkFields(endpoints.signInSecondFactor.body, fields);
    if (!checked.ok) {
      return secondFactorPage({ next, challenge, state: checked.state, status: 400 });
    }
    try {
      return redirectSignedIn(await signIn.secondFactor(checked.value, client), next);
    } catch (error) {
      const again = { ...doors, next, ...refused(error, {}) };
      const isOver = error instanceof Failure && error.code === "unauthorized";
      return isOver ? signInPage(again) : secondFactorPage({ ...again, challenge });
    }
  });

  bind.open("GET", "/sign-up", ({ person, query }) => {
    const next = safeReturnPath(query.get("next"));
    return person === undefined ? signUpPage({ hasMessenger, next }) : goTo(next);
  });
  bind.open("POST", "/sign-up", async ({ fields, client }) => {
    const next = safeReturnPath(fields.next);
    const checked = checkFields(signUpFields, fields);
    if (!checked.ok) return signUpPage({ hasMessenger, next, state: checked.state, status: 400 });
    try {
      const answer = await signUp.signUp({ ...checked.value, next }, client);
      if (answer.status === "confirmation_required") return lookAtMailPage(checked.value.email);
      return redirectSignedIn(answer, next);
    } catch (error) {
      return signUpPage({ hasMessenger, next, ...refused(withoutEnumeration(error), fields) });
    }
  });

  bind.open("GET", "/welcome/:token", async ({ params, client }) => {
    const token = params.token ?? "";
    return await signIn.isOwnerLinkOpen(token, client) ? welcomePage({ token }) : usedWelcomePage();
  });
  bind.open("POST", "/welcome/:token", async ({ params, fields, client }) => {
    const token = params.token ?? "";
    const checked = checkFields(claimFields, fields);
    if (!checked.ok) return welcomePage({ token, state: checked.state, status: 400 });
    try {
      return redirectSignedIn(await signIn.claimOwner({ ...checked.value, token }, client), "/");
    } catch (error) {
      if (error instanceof Failure && error.code === "not_found") return usedWelcomePage();
      return welcomePage({ token, ...refused(error, fields) });
    }
  });

  bind.personal(
    "POST",
    "/sign-out",
    async ({ person }) =>
      goTo("/sign-in", { "set-cookie": await signIn.signOut(selfCallerOf(person)) }),
  );
}
