/**
 * Prepares an empty data directory at the first start: creates the workspace `default`, its owner
 * and an API key.
 *
 * @module
 */
import type { Clock, Random } from "../../lib/clock.ts";
import { uuidV7 } from "../../lib/ids.ts";
import type { AccountStore } from "./account_store.ts";
import { apiKeyPrefix, hashApiKey, MIN_TOKEN_LENGTH, mintApiKey } from "./api_keys/api_key.ts";

/** Slug of the platform's first workspace. The slug never changes. */
export const FIRST_WORKSPACE = "default";

/**
 * Returns the API key if it is new, so it can be shown once.
 *
 * @throws {TypeError} if `token` is too short or not printable ASCII.
 */
export async function bootstrapAccounts(options: {
  readonly store: AccountStore;
  readonly now: Clock;
  readonly random: Random;
  /** The key to use instead of a random one (`SVC_BOOTSTRAP_TOKEN`). */
  readonly token?: string;
}): Promise<string | undefined> {
  const { store, now, random } = options;
  if (await store.ownerId() !== undefined) return undefined;
  if (options.token !== undefined && !/^[\x21-\x7e]+$/.test(options.token)) {
    throw new TypeError("Cannot use SVC_BOOTSTRAP_TOKEN: it must be printable ASCII");
  }
  if (options.token !== undefined && options.token.length < MIN_TOKEN_LENGTH) {
    throw new TypeError(
      `Cannot use SVC_BOOTSTRAP_TOKEN: it must have at least ${MIN_TOKEN_LENGTH} characters, but ` +
        `it has ${options.token.length}`,
    );
  }
  const token = options.token ?? mintApiKey(random);
  const [userId, workspaceId] = [uuidV7(now, random), uuidV7(now, random)];
  const createdAt = now();
  const created = await store.createFirst({
    user: { id: userId, name: "Owner", email: null, signUpMethod: "email", createdAt },
    workspace: { id: workspaceId, slug: FIRST_WORKSPACE, name: "Default", createdAt },
    apiKey: {
      id: uuidV7(now, random),
      workspaceId,
      userId,
      name: "bootstrap",
      hash: hashApiKey(token),
      prefix: apiKeyPrefix(token),
      role: "owner",
      permissions: ["everything"],
      projects: null,
      description: "",
      expiresAt: null,
      createdAt,
      publisherIds: [],
    },
  });
  return created ? token : undefined;
}
