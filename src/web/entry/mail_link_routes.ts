/** @module The routes for links in account emails. */
import { endpoints } from "../../contract/endpoints.ts";
import { checkFields, refused } from "../layout/form.ts";
import { deadLinkPage } from "../layout/dead_link_page.tsx";
import type { PageBinder } from "../visit/page_binder.tsx";
import { safeReturnPath } from "../visit/return_path.ts";
import type { PasswordResetService, SignUpService } from "../../platform/accounts/mod.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { redirectSignedIn } from "./entry_routes.ts";
import {
  confirmSignUpPage,
  forgotPasswordPage,
  lookAtMailPage,
  passwordSetPage,
  resetPasswordPage,
} from "./mail_link_pages.tsx";

const resetFields = endpoints.completePasswordReset.body.omit({ token: true });

const isUsed = (error: unknown): boolean => error instanceof Failure && error.code === "not_found";

const lead = "It has expired or was already used.";
const signUpAgain = () => deadLinkPage({ lead, path: "/sign-up", word: "Create an account" });
const askAgain = () => deadLinkPage({ lead, path: "/forgot-password", word: "Send a new link" });

export interface MailLinkPageServices {
  readonly signUp: SignUpService;
  readonly passwordReset: PasswordResetService;
}

export function bindMailLinkPages(
  bind: PageBinder,
  { signUp, passwordReset }: MailLinkPageServices,
): void {
  bind.open(
    "GET",
    "/sign-up/confirm/:token",
    ({ params }) => confirmSignUpPage(params.token ?? ""),
  );
  bind.open("POST", "/sign-up/confirm/:token", async ({ params, client }) => {
    try {
      const { signedIn, next: wanted } = await signUp.confirm(params.token ?? "", client);
      const next = safeReturnPath(wanted);
      return redirectSignedIn(signedIn, next);
    } catch (error) {
      if (isUsed(error)) return signUpAgain();
      throw error;
    }
  });

  bind.open("GET", "/forgot-password", () => forgotPasswordPage());
  bind.open("POST", "/forgot-password", async ({ fields, client }) => {
    const checked = checkFields(endpoints.requestPasswordReset.body, fields);
    if (!checked.ok) return forgotPasswordPage({ state: checked.state, status: 400 });
    try {
      await passwordReset.request(checked.value.email, client);
      return lookAtMailPage(checked.value.email);
    } catch (error) {
      return forgotPasswordPage(refused(error, fields));
    }
  });

  bind.open("GET", "/reset-password/:token", async ({ params, client }) => {
    const token = params.token ?? "";
    return await passwordReset.isOpen(token, client) ? resetPasswordPage({ token }) : askAgain();
  });
  bind.open("POST", "/reset-password/:token", async ({ params, fields, client }) => {
    const token = params.token ?? "";
    const checked = checkFields(resetFields, fields);
    if (!checked.ok) return resetPasswordPage({ token, state: checked.state, status: 400 });
    try {
      await passwordReset.complete({ ...checked.value, token }, client);
      return passwordSetPage();
    } catch (error) {
      return isUsed(error) ? askAgain() : resetPasswordPage({ token, ...refused(error, {}) });
    }
  });
}
