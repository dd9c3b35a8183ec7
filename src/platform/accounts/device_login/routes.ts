/** The device login's endpoints, and the authorization server's metadata (RFC 8414). @module */
import { DEVICE_GRANT_TYPE, type DeviceToken } from "../../../contract/device.ts";
import { endpoints } from "../../../contract/endpoints.ts";
import { EXCHANGE_GRANT_TYPE } from "../../../contract/publishers.ts";
import { type Client, noteLimit, type Router } from "../../core/http/mod.ts";
import type { DeviceLoginService } from "./device_login_service.ts";
import {
  oauthAnswer,
  OAuthError,
  parseOAuthFields,
  readGrantType,
  readOAuthFields,
} from "./parse_request.ts";

export async function answerDeviceGrant(
  service: DeviceLoginService,
  { fields, request, client }: {
    readonly fields: unknown;
    readonly request: Request;
    readonly client: Client;
  },
): Promise<DeviceToken> {
  const asked = parseOAuthFields(fields, endpoints.pollDeviceToken.body);
  const isBasic = /^basic /i.test(request.headers.get("authorization") ?? "");
  const { device_code: deviceCode, client_id: clientId } = asked;
  return await service.poll({ deviceCode, clientId, isBasic }, client);
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
      const { client_id: clientId, scope } = parseOAuthFields(fields, startDevice.body);
      try {
        return await service.start({ clientId, scope }, client);
      } finally {
        noteLimit(request, "device", service.standing(client));
      }
    }));

  router.open(pollDeviceToken, ({ request, client }) =>
    oauthAnswer(request, async () => {
      const fields = await readOAuthFields(request, pollDeviceToken.maxBodyBytes);
      const grantType = readGrantType(fields);
      if (grantType !== DEVICE_GRANT_TYPE) {
        throw new OAuthError("unsupported_grant_type", `Use the grant type ${DEVICE_GRANT_TYPE}`);
      }
      return await answerDeviceGrant(service, { fields, request, client });
    }));

  router.open(endpoints.getOAuthMetadata, () => ({
    issuer: publicOrigin,
    device_authorization_endpoint: `${publicOrigin}${startDevice.path}`,
    token_endpoint: `${publicOrigin}/oauth/token`,
    authorization_endpoint: `${publicOrigin}/oauth/authorize`,
    registration_endpoint: `${publicOrigin}/oauth/register`,
    grant_types_supported: [
      "authorization_code",
      "refresh_token",
      DEVICE_GRANT_TYPE,
      EXCHANGE_GRANT_TYPE,
    ],
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    scopes_supported: ["read", "write"],
    authorization_response_iss_parameter_supported: true,
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
