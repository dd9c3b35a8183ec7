/** `/v1/me`, sign-up and sign-in. @module */
import { endpoints } from "../../../contract/endpoints.ts";
import { crossOriginFailure, originOf, type Router } from "../../core/http/mod.ts";
import { grantToWire } from "../account_wire.ts";
import type { ConfirmationWanted, FactorWanted, SignedIn } from "../outcomes.ts";
import type { PasswordResetService } from "../email/password_reset_service.ts";
import type { SignInService } from "./sign_in_service.ts";
import type { SignUpService } from "./sign_up_service.ts";

/** Moves a response's cookie to a header. */
function withCookie(
  answer: SignedIn | FactorWanted | ConfirmationWanted,
  status: number,
): Response {
  if (answer.status !== "signed_in") {
    return Response.json(answer, { status, headers: { "cache-control": "no-store" } });
  }
  const { setCookie, deviceCookie, ...body } = answer;
  const headers = new Headers({ "cache-control": "no-store" });
  for (const cookie of [setCookie, deviceCookie]) headers.append("set-cookie", cookie);
  return Response.json(body, { status, headers });
}

export function bindAccountRoutes(router: Router, options: {
  readonly signIn: SignInService;
  readonly signUp: SignUpService;
  readonly passwordReset: PasswordResetService;
  readonly publicOrigin: string;
}): void {
  const { signIn, signUp, passwordReset, publicOrigin } = options;
  /**
   * Rejects requests from other sites, on which a form could otherwise sign people in to the
   * attacker's account (login CSRF).
   */
  const refuseOtherSites = (request: Request) => {
    if (originOf(request, publicOrigin) === "other") throw crossOriginFailure();
  };

  router.guarded(
    endpoints.getIdentity,
    ({ user, workspace, credential, grant }) => ({
      user,
      workspace,
      credential,
      grant: grant === undefined ? null : grantToWire(grant),
    }),
  );

  router.open(endpoints.signUp, async ({ body, request, client }) => {
    refuseOtherSites(request);
    const answer = await signUp.signUp(body, client);
    return withCookie(answer, answer.status === "signed_in" ? 201 : 202);
  });
  router.open(endpoints.confirmSignUp, async ({ body, request, client }) => {
    refuseOtherSites(request);
    return withCookie((await signUp.confirm(body.token, client)).signedIn, 201);
  });
  router.open(endpoints.requestPasswordReset, async ({ body, request, client }) => {
    refuseOtherSites(request);
    await passwordReset.request(body.email, client);
    return undefined;
  });
  router.open(endpoints.completePasswordReset, async ({ body, request, client }) => {
    refuseOtherSites(request);
    await passwordReset.complete(body, client);
    return undefined;
  });
  router.open(endpoints.signIn, async ({ body, request, client }) => {
    refuseOtherSites(request);
    return withCookie(await signIn.signIn(body, client), 200);
  });
  router.open(endpoints.signInSecondFactor, async ({ body, request, client }) => {
    refuseOtherSites(request);
    return withCookie(await signIn.secondFactor(body, client), 200);
  });
  router.open(endpoints.claimOwner, async ({ body, request, client }) => {
    refuseOtherSites(request);
    return withCookie(await signIn.claimOwner(body, client), 200);
  });
  router.self(endpoints.signOut, async (own) => {
    const setCookie = await signIn.signOut(own);
    const headers = { "cache-control": "no-store" };
    return new Response(null, {
      status: 204,
      headers: own.credential.type === "session"
        ? { ...headers, "set-cookie": setCookie }
        : headers,
    });
  });
}
