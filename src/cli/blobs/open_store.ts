/** @module Finds the blob store of a command's project and environment. */
import type { Client } from "../../client/client.ts";
import { signBlob } from "../../contract/blob_store.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import type { Project } from "../../contract/projects.ts";
import { chooseEnvironment } from "../environments/choose_environment.ts";
import { ApiError } from "../../client/errors.ts";
import { readStoreRefusal } from "../../client/store_refusal.ts";
import { openProject } from "../projects/resolve_project.ts";
import type { Context } from "../session/context.ts";
import { printable } from "../terminal/format.ts";

export const ENVIRONMENT_OPTION = [
  "--environment <name-or-id>",
  "environment of the store (default: production)",
] as const;

export interface OpenStore {
  readonly client: Client;
  readonly project: Project;
  /** Name of the environment. */
  readonly environment: string;
  readonly params: { readonly project: string };
}

export async function openStore(
  ctx: Context,
  flags: { readonly projectId?: string | undefined; readonly environment?: string | undefined },
): Promise<OpenStore> {
  const { client, project, folder } = await openProject(ctx, {
    given: flags.projectId,
    phase: "env",
  });
  const chosen = await chooseEnvironment(ctx, {
    given: flags.environment,
    folder,
    project,
    client,
    phase: "env",
  });
  const environment = chosen?.environment.name ?? ENVIRONMENT_PRODUCTION;
  return { client, project, environment, params: { project: project.id } };
}

/** Sends one request to an object's signed URL. */
export async function requestObject(
  ctx: Context,
  { client, environment, params }: OpenStore,
  { key, method, ...init }: RequestInit & { readonly key: string; readonly method: "GET" | "PUT" },
): Promise<Response> {
  const { url } = await client.call(signBlob, { params, body: { environment, key, method } });
  const response = await ctx.fetch(url, { ...init, method, signal: ctx.signal });
  if (response.ok) return response;
  const { code, message } = await readStoreRefusal(response);
  throw new ApiError(`${printable(key)}: ${printable(message)}`, {
    status: response.status,
    code,
  });
}
