/**
 * The ticket in the URL that a hook's caller uses to follow a deployment. The ticket contains the
 * sealed deployment ID, so it cannot be forged, needs no storage, and does not reveal the hook's
 * token.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import * as z from "zod";
import { type SecretBox, SecretDamagedError } from "../core/secrets/mod.ts";

const PLACE = "deployment status";
const FORM = /^([0-9a-f]{8})\.([\w-]{16})\.([\w-]{20,300})$/;

const named = z.object({ projectId: z.string(), id: z.string() });
type NamedDeployment = z.infer<typeof named>;

const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
const decode = (text: string) => Uint8Array.from(Buffer.from(text, "base64url"));

export async function issueTicket(
  box: SecretBox,
  { projectId, id }: NamedDeployment,
): Promise<string> {
  const { keyId, nonce, data } = await box.seal(JSON.stringify({ projectId, id }), PLACE);
  return `${keyId}.${encode(nonce)}.${encode(data)}`;
}

/** Returns the deployment that a ticket names; `undefined` if the ticket is not valid. */
export async function readTicket(
  box: SecretBox,
  ticket: string,
): Promise<NamedDeployment | undefined> {
  const match = FORM.exec(ticket);
  if (match === null) return undefined;
  const [, keyId = "", nonce = "", data = ""] = match;
  try {
    const sealed = { keyId, nonce: decode(nonce), data: decode(data) };
    return named.parse(JSON.parse(await box.open(sealed, PLACE)));
  } catch (error) {
    if (error instanceof SecretDamagedError) return undefined;
    throw error;
  }
}
