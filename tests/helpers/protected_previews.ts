/**
 * Gives tests access to protected previews.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { rawRequest } from "./platform.ts";

/** Headers of a browser's request for a page. */
export const PAGE = { accept: "text/html" };

/** Returns the cookie `name` that a response sets, as `name=value`. */
export function cookieOf(
  { headers }: { readonly headers: Record<string, unknown> },
  name: string,
): string {
  const all = [headers["set-cookie"] ?? []].flat() as string[];
  const found = all.find((each) => each.startsWith(`${name}=`));
  assert.ok(found, `no cookie ${name} in ${JSON.stringify(all)}`);
  return found.split(";")[0]!;
}

/** Sends a GET request over HTTP/1.1. */
export type Get = (
  url: string,
  headers?: Record<string, string>,
) => ReturnType<typeof rawRequest>;

/** Returns the URL at the listener without TLS, which receives these requests. */
export const plain = (url: string) => url.replace(/^https:/, "http:");

/** Signs a person in on a protected page, through the platform. Returns the host's cookie. */
export async function signInAt(get: Get, url: string, session: string): Promise<string> {
  const sent = await get(url, PAGE);
  assert.equal(sent.status, 302, sent.text);
  const back = await get(String(sent.headers.location), { cookie: session });
  assert.equal(back.status, 200, back.text);
  const callback = String(back.headers.refresh).replace(/^0;url=/, "");
  const landed = await get(callback, { cookie: cookieOf(sent, "svc_access_browser") });
  assert.equal(landed.status, 303, landed.text);
  assert.equal(landed.headers.location, plain(url));
  return cookieOf(landed, "svc_access");
}
