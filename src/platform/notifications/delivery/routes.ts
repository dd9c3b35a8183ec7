/**
 * `/v1/notifications/dead-letters`, `/v1/dead-letters` and
 * `/v1/notifications/test`.
 *
 * @module
 */
import { endpoints } from "../../../contract/endpoints.ts";
import type { PersonalScope } from "../../core/access/mod.ts";
import type { Router } from "../../core/http/mod.ts";
import type { DeadLetters } from "./dead_letters.ts";
import type { LetterView } from "./job.ts";
import type { TestSender } from "./test_sender.ts";

const person = ({ userId, workspaceId }: PersonalScope): LetterView => ({
  type: "user",
  id: userId,
  workspaceId,
});
const workspace = (id: string): LetterView => ({ type: "workspace", id, workspaceId: id });

export function bindDeliveryRoutes(router: Router, services: {
  readonly deadLetters: DeadLetters;
  readonly testSender: TestSender;
}): void {
  const { deadLetters, testSender } = services;
  router.self(
    endpoints.listDeadLetters,
    (own, { query }) => deadLetters.list(person(own), query),
  );
  router.self(endpoints.resendDeadLetter, async (own, { params }) => {
    await deadLetters.resend(person(own), params.letter);
    return { resent: 1 };
  });
  router.self(
    endpoints.resendDeadLetters,
    async (own) => ({ resent: await deadLetters.resendAll(person(own)) }),
  );
  router.self(endpoints.deleteDeadLetter, async (own, { params }) => {
    await deadLetters.discard(person(own), params.letter);
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
  router.self(
    endpoints.sendTestNotification,
    (own, { body }) => testSender.send(own, body.channel),
  );
}
