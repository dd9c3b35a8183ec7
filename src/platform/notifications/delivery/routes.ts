/**
 * `/v1/notifications/dead-letters`, `/v1/dead-letters` and
 * `/v1/notifications/test`.
 *
 * @module
 */
import { endpoints } from "../../../contract/mod.ts";
import type { Router } from "../../http/router.ts";
import type { DeadLetters } from "./dead_letters.ts";
import type { LetterOwner } from "./job.ts";
import type { TestSender } from "./test_sender.ts";

const person = (id: string): LetterOwner => ({ type: "user", id });
const workspace = (id: string): LetterOwner => ({ type: "workspace", id });

export function bindDeliveryRoutes(router: Router, services: {
  readonly deadLetters: DeadLetters;
  readonly testSender: TestSender;
}): void {
  const { deadLetters, testSender } = services;
  router.held(
    endpoints.listDeadLetters,
    ({ user }, { query }) => deadLetters.list(person(user.id), query),
  );
  router.held(endpoints.resendDeadLetter, async ({ user }, { params }) => {
    await deadLetters.resend(person(user.id), params.letter);
    return { resent: 1 };
  });
  router.held(
    endpoints.resendDeadLetters,
    async ({ user }) => ({ resent: await deadLetters.resendAll(person(user.id)) }),
  );
  router.held(endpoints.deleteDeadLetter, async ({ user }, { params }) => {
    await deadLetters.discard(person(user.id), params.letter);
    return undefined;
  });
  router.guarded(
    endpoints.listWorkspaceDeadLetters,
    (caller, { query }) => deadLetters.list(workspace(caller.workspace.id), query),
  );
  router.guarded(endpoints.resendWorkspaceDeadLetter, async (caller, { params }) => {
    await deadLetters.resend(workspace(caller.workspace.id), params.letter);
    return { resent: 1 };
  });
  router.guarded(
    endpoints.resendWorkspaceDeadLetters,
    async (caller) => ({ resent: await deadLetters.resendAll(workspace(caller.workspace.id)) }),
  );
  router.held(
    endpoints.sendTestNotification,
    (holder, { body }) => testSender.send(holder.user.id, body.channel),
  );
}
