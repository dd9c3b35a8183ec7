/**
 * Answers after which a connection ends.
 *
 * @module
 */
import { addField, hasField } from "../../../lib/raw_fields.ts";

const SWITCHING_PROTOCOLS = 101;

function endsConnection(response: Response): Response {
  const { status, headers } = response;
  if (status !== SWITCHING_PROTOCOLS && !hasField(headers, "connection")) {
    addField(headers, ["connection", "close"]);
  }
  return response;
}

/**
 * Tells the client that this response is the last of its connection. Otherwise, the connection
 * could close just as the client sends another request, which would be lost.
 */
export function asLast(answer: Response | Promise<Response>): Response | Promise<Response> {
  return answer instanceof Promise ? answer.then(endsConnection) : endsConnection(answer);
}
