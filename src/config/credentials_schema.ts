/**
 * @module The schema of the credentials file. The schema is loaded only to check an existing file,
 * so commands that take their key from the environment do not load it.
 */
import * as z from "zod";
import { isApiUrl } from "./api_url.ts";
import { DNS_LABEL } from "./field_rules.ts";

/** Maximum length of a stored API token, in characters. */
const MAX_TOKEN = 4096;

const login = z.strictObject({
  // Only visible ASCII is allowed, because a token is sent in an HTTP header.
  token: z.string().max(MAX_TOKEN).regex(/^[\x21-\x7e]+$/),
  workspaceName: z.string().max(200).optional(),
  savedAt: z.iso.datetime(),
});

const workspaceSlug = z.string().max(63).regex(DNS_LABEL);

const platform = z.strictObject({
  defaultWorkspace: workspaceSlug,
  logins: z.record(workspaceSlug, login),
});

export const credentialsSchema = z.strictObject({
  version: z.literal(1),
  /** The platform of the newest login, which commands use by default. */
  currentPlatform: z.string().refine(isApiUrl).optional(),
  platforms: z.record(z.string().refine(isApiUrl), platform),
});

/** Every stored login, by normalized API URL and workspace slug. */
export type Credentials = z.output<typeof credentialsSchema>;
export type Platform = z.output<typeof platform>;
