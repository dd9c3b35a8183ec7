/** Responses that close their connection. @module */
import { addField, hasField } from "../../../lib/raw_fields.ts";

const SWITCHING_PROTOCOLS = 101;

/**
 * Tells the client that this response is the last on its connection. Otherwise, the connection
 * could close just as the client sends another request, which would be lost.
 */
export function asLast(response: Response): Response;
export function asLast(answer: Response | Promise<Response>): Response | Promise<Response>;
export function asLast(answer: Response | Promise<Response>): Response | Promise<Response> {
  return answer instanceof Promise ? answer.then(endConnection) : endConnection(answer);
}

function endConnection(response: Response): Response {
  const { status, headers } = response;
  if (status !== SWITCHING_PROTOCOLS && !hasField(headers, "connection")) {
    addField(headers, ["connection", "close"]);
  }
  return response;
}
