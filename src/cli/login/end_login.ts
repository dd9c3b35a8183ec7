/**
 * Ending a stored token on the platform.
 *
 * @module
 */
import { ApiError, UnreachableError } from "../../client/mod.ts";
import { endpoints } from "../../contract/mod.ts";
import type { Context } from "../context.ts";

/**
 * What became of a token: `revoked`; `gone` where the platform did not know it
 * any more; `kept` for an API key, which is revoked in its workspace; `unknown`
 * where the platform could not be asked.
 */
export type TokenEnd = "revoked" | "gone" | "kept" | "unknown";

/** Revokes a token of the platform in use. */
export async function endToken(ctx: Context, token: string): Promise<TokenEnd> {
  const client = ctx.client({ phase: "auth", token });
  try {
    await client.call(endpoints.signOut, {});
    return "revoked";
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return "gone";
    if (error instanceof ApiError && error.status === 403) return "kept";
    if (error instanceof ApiError || error instanceof UnreachableError) return "unknown";
    throw error;
  }
}
