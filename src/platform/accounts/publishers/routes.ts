/** `/v1/trusted-publishers`, and the fields of a token exchange. @module */
import { endpoints } from "../../../contract/endpoints.ts";
import { exchangeBody } from "../../../contract/publishers.ts";
import type { Router } from "../../core/http/mod.ts";
import { parseOAuthFields } from "../device_login/parse_request.ts";
import type { AskedExchange } from "./exchange_service.ts";
import type { PublisherService } from "./publisher_service.ts";

/** Reads the fields of a token exchange. @throws {OAuthError} `invalid_request` */
export function exchangeFields(fields: unknown): AskedExchange {
  const given = parseOAuthFields(fields, exchangeBody);
  return { token: given.subject_token, workspace: given.workspace, project: given.project };
}

export function bindPublisherRoutes(router: Router, publishers: PublisherService): void {
  router.guarded(
    endpoints.createPublisher,
    (caller, { body, client }) => publishers.add(caller, body, client),
  );
  router.guarded(endpoints.listPublishers, (caller, { query }) => publishers.list(caller, query));
  router.guarded(endpoints.deletePublisher, async (caller, { params, client, note }) => {
    note({ before: await publishers.remove(caller, params.publisher, client) });
    return undefined;
  });
}
