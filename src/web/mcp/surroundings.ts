/**
 * The client of tools at `/mcp`: the public API through the router of this process, with the
 * agent's credential.
 *
 * @module
 */
import { chooseProject, type Surroundings, ToolFailure } from "../../agents/tool.ts";
import { ApiError } from "../../client/errors.ts";
import { createClient } from "../../client/client.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { Client, Router } from "../../platform/core/http/mod.ts";

function toFailure(error: unknown): ToolFailure | undefined {
  if (error instanceof ToolFailure) return error;
  if (!(error instanceof ApiError) || error.code === undefined) return undefined;
  const { message, code, problems, retryAfter } = error;
  return new ToolFailure({
    error: message,
    code,
    ...problems.length === 0 ? {} : { problems },
    ...retryAfter === undefined ? {} : { hint: `Try again in ${Math.ceil(retryAfter / 1000)} s` },
  });
}

/** Makes what the tools of one request use. */
export function makeSurroundings(
  router: Pick<Router, "fetch">,
  { request, client, project, now }: {
    readonly request: Request;
    readonly client: Client;
    readonly project: string | undefined;
    now(): number;
  },
): Surroundings {
  const authorization = request.headers.get("authorization") ?? "";
  const api = createClient({
    baseUrl: new URL(request.url).origin,
    retries: { retries: 0, firstPause: 0, longestPause: 0 },
    signal: request.signal,
    fetch: (address, init) => {
      const inner = new Request(address, init);
      inner.headers.set("authorization", authorization);
      return router.fetch(inner, client);
    },
  });
  return {
    project,
    now,
    api: () => Promise.resolve(api),
    async open(given) {
      const name = chooseProject(given, project);
      if (name === undefined) {
        throw new ToolFailure({
          error: "Project is missing: set `project`",
          code: "action_required",
          hint:
            "list_projects lists the projects. ?project=<name> in the URL of this server sets a default",
        });
      }
      return { api, project: await api.call(endpoints.getProject, { params: { project: name } }) };
    },
    usualDatabase: () => Promise.resolve(undefined),
    toFailure,
  };
}
