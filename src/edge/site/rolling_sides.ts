/**
 * @module The two sides of a rolling release. The old side is the live deployment, and the new side
 * is the deployment being released. A cookie assigns each visitor a number from 0 to 9999. Visitors
 * whose number is below the release's percentage of that range see the new side, and continue to
 * see it as the percentage grows. The cookie can select only one of these two sides.
 */
import { gateCookieValues } from "../access/gate_cookies.ts";
import type { HeaderList } from "../messages/header_list.ts";
import type { ClientRequest } from "../request/client_request.ts";
import { keptPrivate } from "../response/lifetime_fields.ts";
import type { RollingSide, Site } from "./site.ts";

/** The name of the cookie with the visitor's number. */
const SIDE_COOKIE = "svc_side";
/** Number of different values: enough to set the percentage of visitors in steps of 0.01%. */
const PLACES = 10_000;
/** How long a browser keeps its number, in seconds: longer than any release takes. */
const MAX_AGE = 30 * 24 * 60 * 60;

/** Number of characters of the release's ID that its cookies contain. */
const ID_LENGTH = 12;

/** Returns the last characters of the ID, which are random. */
const shortOf = (releaseId: string): string => releaseId.slice(-ID_LENGTH);

/** Returns the number in a cookie of this release, or `undefined` for any other cookie. */
function placeIn(value: string, releaseId: string): number | undefined {
  const [id, digits = ""] = value.split(".", 2);
  return id === shortOf(releaseId) && /^\d{1,4}$/.test(digits) ? Number(digits) : undefined;
}

/** Returns a `Cookie` field without the release cookie, or null if nothing is left. */
function withoutSide(header: string): string | null {
  const kept = header.split(";").map((part) => part.trim())
    .filter((pair) => pair !== "" && !pair.startsWith(`${SIDE_COOKIE}=`));
  return kept.length === 0 ? null : kept.join("; ");
}

/** Chooses the site that a visitor sees. Code behind the edge never sees the cookie. */
export function chooseSide(
  site: Site,
  rolling: RollingSide,
  request: ClientRequest,
  random: () => number = Math.random,
): Site {
  const { releaseId, share } = rolling;
  const known = gateCookieValues(request.gateField("cookie"), SIDE_COOKIE)
    .map((value) => placeIn(value, releaseId)).find((place) => place !== undefined);
  const place = known ?? Math.floor(random() * PLACES);
  request.hideCookies(withoutSide);
  const chosen = place < share * (PLACES / 100) ? rolling.site : site;
  const secure = request.scheme === "https" ? "; Secure" : "";
  const cookie = known === undefined
    ? `${SIDE_COOKIE}=${shortOf(releaseId)}.${place}; Path=/; Max-Age=${MAX_AGE}; HttpOnly; ` +
      `SameSite=Lax${secure}`
    : null;
  return { ...chosen, rolling: undefined, side: { cookie } };
}

/** Returns whether a file's name identifies its content, so the file is the same on both sides. */
const isImmutable = (headers: HeaderList): boolean =>
  headers.some(([name, value]) => name === "cache-control" && /\bimmutable\b/i.test(value));

/** Returns the header fields of a response that only visitors on one side may see. */
export function ofOneSide(
  headers: HeaderList,
  { cookie }: { readonly cookie: string | null },
): HeaderList {
  if (isImmutable(headers)) return headers;
  const own = keptPrivate(headers);
  return cookie === null ? own : [...own, ["set-cookie", cookie]];
}
