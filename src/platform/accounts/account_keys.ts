/**
 * Keys of accounts, credentials and security events in the key-value store. The keys under which
 * users, workspaces, memberships and API keys are stored by ID are in `store/keys.ts`.
 *
 * @module
 */
import type { RecordKey } from "../../store/mod.ts";
type Key = RecordKey;

export const accountKeys = {
  userByEmail: (email: string): Key => ["user_by_email", email],
  /** Password, second factor and recovery codes. */
  allSignIns: (): Key => ["sign_in"],
  signIn: (userId: string): Key => ["sign_in", userId],

  /** Sign-ins that are waiting for their second factor. */
  challenge: (hash: string): Key => ["sign_in_challenges", hash],

  /** The members of a workspace: copies of the memberships in `store/keys.ts`, by workspace. */
  members: (workspaceId: string): Key => ["members", workspaceId],
  member: (workspaceId: string, userId: string): Key => ["members", workspaceId, userId],
  /** Updated with every change to the members, so only one change at a time succeeds. */
  membersGuard: (workspaceId: string): Key => ["members_guard", workspaceId],

  allInvitations: (): Key => ["invitations"],
  /** Actions that are waiting for a click on a link in an email. */
  mailLink: (hash: string): Key => ["mail_link", hash],

  invitationByHash: (hash: string): Key => ["invitation_by_hash", hash],

  /** Copies of the API keys, by workspace. */
  workspaceApiKeys: (workspaceId: string): Key => ["workspace_api_keys", workspaceId],
  workspaceApiKey: (workspaceId: string, id: string): Key => [
    "workspace_api_keys",
    workspaceId,
    id,
  ],

  allPublishers: (): Key => ["trusted_publishers"],
  publishers: (workspaceId: string): Key => ["trusted_publishers", workspaceId],
  /** Updated with each new publisher of a workspace, to enforce the limit on publishers. */
  publishersGuard: (workspaceId: string): Key => ["trusted_publishers_guard", workspaceId],
  /** Job tokens that have been exchanged for keys, until they expire. */
  exchangedToken: (hash: string): Key => ["exchanged_tokens", hash],

  allSessions: (): Key => ["sessions"],
  session: (userId: string, id: string): Key => ["sessions", userId, id],
  sessionByHash: (hash: string): Key => ["session_by_hash", hash],

  allAccessTokens: (): Key => ["access_tokens"],
  accessToken: (userId: string, id: string): Key => ["access_tokens", userId, id],
  accessTokenByHash: (hash: string): Key => ["access_token_by_hash", hash],

  /** Codes that registered clients exchange for tokens, and their refresh tokens. */
  authorizationCode: (hash: string): Key => ["authorization_codes", hash],
  refreshByHash: (hash: string): Key => ["refresh_by_hash", hash],

  /** Records that belong to a key, token or session, and are removed with it. */
  creations: (credentialId: string): Key => ["created_by", credentialId],
  creation: (credentialId: string, id: string): Key => ["created_by", credentialId, id],

  /** When and where a key, token or session was last used. */
  lastUse: (credentialId: string): Key => ["last_use", credentialId],

  allAccountEvents: (): Key => ["security_events", "account"],
  accountEvents: (userId: string): Key => ["security_events", "account", userId],
  workspaceEvents: (workspaceId: string): Key => ["security_events", "workspace", workspaceId],
  workspaceEvent: (workspaceId: string, id: string): Key => [
    "security_events",
    "workspace",
    workspaceId,
    id,
  ],
} as const;
