/** Decides which URLs a webhook may have. Pure. @module */
import { judgeTarget, OutboundError } from "../../../../runtime/mod.ts";
import { Failure } from "../../../core/http/mod.ts";

const REMEDY =
  "Must be a public host on port 80, 443, or 1024 and above. For other hosts, the operator must run svc serve with --allow-private-upstreams";

/**
 * Rejects URLs that delivery would reject without resolving a name. Names are checked at delivery.
 */
export function checkWebhookUrl(url: string, rules: { readonly allowPrivate: boolean }): void {
  try {
    judgeTarget(url, rules);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const message = `${error.message}. ${REMEDY}`;
    throw new Failure("invalid_request", `Request is not valid: body.url: ${message}`, {
      problems: [{ path: "body.url", message }],
    });
  }
}
