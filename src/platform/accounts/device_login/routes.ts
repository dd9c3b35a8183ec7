/**
 * `/v1/device`, `/v1/device/token`, approving and denying, and the metadata of
 * the authorization server (RFC 8414).
 *
 * @module
 */
import { z } from "zod";
import { DEVICE_GRANT_TYPE, endpoints } from "../../../contract/mod.ts";
import { noteLimit, type Router } from "../../core/http/mod.ts";
import type { DeviceLoginService } from "./device_login_service.ts";
import { OAuthError, parseOAuthFields, readOAuthFields } from "./parse_request.ts";

/** The field that names the grant type; it is read before all others. */
const anyGrant = z.object({
  grant_type: z.string("Must be given").min(1, "Must be given").max(200),
});

/** Answers as RFC 6749 (5.1 and 5.2) requires: never cached, with errors in OAuth's form. */
async function oauthAnswer(request: Request, work: () => Promise<unknown>): Promise<Response> {
  const headers = { "cache-control": "no-store", pragma: "no-cache" };
  try {
    if (request.headers.has("idempotency-key")) {
      throw new OAuthError("invalid_request", "Idempotency-Key is not taken here: leave it out");
    }
    return Response.json(await work(), { headers });
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const { code, message, retryAfter } = error;
    return Response.json({ error: code, error_description: message }, {
      status: code === "rate_limited" ? 429 : 400,
      headers: retryAfter === undefined ? headers : { ...headers, "retry-after": `${retryAfter}` },
    });
  }
}

export function bindDeviceRoutes(router: Router, options: {
  readonly service: DeviceLoginService;
  readonly publicOrigin: string;
}): void {
  const { service, publicOrigin } = options;

  const { startDevice, pollDeviceToken } = endpoints;

  router.open(startDevice, ({ request, client }) =>
    oauthAnswer(request, async () => {
      const fields = await readOAuthFields(request, startDevice.maxBodyBytes);
      const { client_id: clientId } = parseOAuthFields(fields, startDevice.body);
      try {
        return await service.start(clientId, client);
      } finally {
        noteLimit(request, "device", service.standing(client));
      }
    }));

  router.open(pollDeviceToken, ({ request, client }) =>
    oauthAnswer(request, async () => {
      const fields = await readOAuthFields(request, pollDeviceToken.maxBodyBytes);
      const { grant_type: grantType } = parseOAuthFields(fields, anyGrant);
      if (grantType !== DEVICE_GRANT_TYPE) {
        throw new OAuthError("unsupported_grant_type", `Use the grant type ${DEVICE_GRANT_TYPE}`);
      }
      const asked = parseOAuthFields(fields, pollDeviceToken.body);
      return await service.poll(
        { deviceCode: asked.device_code, clientId: asked.client_id },
        client,
      );
    }));

  router.open(endpoints.getOAuthMetadata, () => ({
    issuer: publicOrigin,
    device_authorization_endpoint: `${publicOrigin}${startDevice.path}`,
    token_endpoint: `${publicOrigin}${pollDeviceToken.path}`,
    grant_types_supported: [DEVICE_GRANT_TYPE],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ["none"],
    service_documentation: `${publicOrigin}${endpoints.getOpenApi.path}`,
  }));

  router.personal(
    endpoints.findDevice,
    (person, { params, client }) => service.find(person, params.userCode, client),
  );
  router.personal(endpoints.approveDevice, async (person, { params, body, client }) => {
    const { userCode } = params;
    await service.approve(person, { userCode, workspaceId: body.workspaceId }, client);
    return undefined;
  });
  router.personal(endpoints.denyDevice, async (person, { params, client }) => {
    await service.deny(person, params.userCode, client);
    return undefined;
  });
}
