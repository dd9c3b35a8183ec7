/**
 * One message of an agent, answered. Nothing is kept between two: there are no sessions.
 *
 * @module
 */
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { makeServer } from "../../agents/make_server.ts";
import type { Surroundings } from "../../agents/tool.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { TOOLS } from "./tools.ts";

/** Answers a request whose body was parsed. */
export async function answerAgent(request: Request, { body, around, readOnly, mayCall, version }: {
  readonly body: unknown;
  readonly around: Surroundings;
  readonly readOnly: boolean;
  /** Whether the credential has the permission for a call of the API. */
  readonly mayCall: (endpoint: Endpoint) => boolean;
  readonly version: string;
}): Promise<Response> {
  const tools = TOOLS.filter(({ needs }) => needs === undefined || mayCall(needs));
  const { server, settled } = makeServer({ version, tools, around, readOnly });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const answer = await transport.handleRequest(request, { parsedBody: body });
    await settled();
    return answer;
  } finally {
    await server.close();
  }
}
