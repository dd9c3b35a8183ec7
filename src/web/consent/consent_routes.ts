/**
 * `/oauth/authorize`: a program sends a person here, who decides.
 *
 * @module
 */
import type { AuthorizationService } from "../../platform/accounts/mod.ts";
import { selfCallerOf } from "../../platform/core/access/mod.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import type { WorkspaceService } from "../../platform/workspaces/mod.ts";
import { goTo } from "../layout/document.tsx";
import type { PageBinder } from "../visit/page_binder.tsx";
import { readChoices } from "../visit/long_list.ts";
import { consentPage } from "./consent_page.tsx";
import { answerAddress, readDestination, readRequest } from "./read_request.ts";

export interface ConsentPageServices {
  readonly authorization: AuthorizationService;
  readonly workspaces: WorkspaceService;
  readonly publicOrigin: string;
}

export function bindConsentPages(
  bind: PageBinder,
  { authorization, workspaces, publicOrigin }: ConsentPageServices,
): void {
  /**
   * The request of a query. Whoever registers a program may send people anywhere by a faulty
   * one, so what is wrong with it is a page, and no redirect (RFC 9700, 4.11.2).
   */
  const read = async (query: URLSearchParams) => {
    const client = await authorization.findClient(query.get("client_id") ?? "");
    const destination = readDestination(query, client);
    if (typeof destination === "string") throw new Failure("invalid_request", destination);
    const request = readRequest(query, destination, publicOrigin);
    if (!("error" in request)) return request;
    const { error, description } = request;
    throw new Failure(
      "invalid_request",
      `The app sent an invalid request: ${description} (${error})`,
    );
  };

  bind.personal("GET", "/oauth/authorize", async ({ person, csrf, query }) => {
    const request = await read(query);
    const items = await readChoices((wish) => workspaces.list(selfCallerOf(person), wish));
    const email = person.user.email ?? person.user.name;
    return consentPage({ request, query: query.toString(), workspaces: items, csrf, email });
  });

  bind.personal("POST", "/oauth/decision", async ({ person, client, fields }) => {
    const request = await read(new URLSearchParams(fields.request ?? ""));
    const { decision, workspaceId = "", scope } = fields;
    if (decision === "deny") {
      const answer = { error: "access_denied", error_description: "The user denied access" };
      return goTo(answerAddress(request, { ...answer, iss: publicOrigin }));
    }
    if (decision !== "approve") {
      throw new Failure("invalid_request", "Choose to allow or deny access");
    }
    const code = await authorization.approve(person, {
      ...request,
      workspaceId,
      // Nobody can choose more than was asked for.
      scope: request.scope === "write" && scope === "write" ? "write" : "read",
    }, client);
    return goTo(answerAddress(request, { code, iss: publicOrigin }));
  });
}
