/** @module Checks whether a login can be stored, and revokes its token. */
import { ApiError, isForbidden, UnreachableError } from "../../client/errors.ts";
import { signOut } from "../../contract/accounts.ts";
import { assertWritable } from "../session/paths.ts";
import type { Context } from "../session/context.ts";

/** Throws if a login cannot be stored. Called before a login is requested or revoked. */
export async function assertCanStoreLogin(ctx: Context): Promise<void> {
  await assertWritable(
    ctx,
    ctx.credentials.writablePath(),
    "Make the folder writable, or set XDG_CONFIG_HOME to another one. SVC_TOKEN needs no file",
  );
}

/**
 * The state of a token after sign-out. `gone`: the platform did not recognize the token. `kept`: the
 * token is an API key, which can only be revoked in its workspace. `unknown`: the platform could not
 * be reached.
 */
export type TokenEnd = "revoked" | "gone" | "kept" | "unknown";

/** Revokes a token on the current platform. */
export async function endToken(ctx: Context, token: string): Promise<TokenEnd> {
  const client = ctx.client({ phase: "auth", token });
  try {
    await client.call(signOut, {});
    return "revoked";
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return "gone";
    if (isForbidden(error)) return "kept";
    if (error instanceof ApiError || error instanceof UnreachableError) return "unknown";
    throw error;
  }
}
