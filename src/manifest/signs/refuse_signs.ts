/** @module Messages for a project with signs of a server that nothing runs. */
import type { Found } from "../frameworks/types.ts";
import type { ProjectSign } from "./types.ts";

/** Signs that an error lists. */
const MAX_LISTED = 6;

/** The lines of svc.toml that make a project a static site anyway. */
const STATIC_LINES = "[build]\nstatic = true";

/** A sign as people read it: `app.py:3 imports flask`. */
export const describeSign = ({ file, line, seen }: ProjectSign): string =>
  `${file}:${line} ${seen}`;

/** Refuses to publish a project: names the findings, what svc supports, and how to publish it. */
export function refuseSigns(signs: readonly ProjectSign[]): Found & { readonly type: "unusable" } {
  const lines = signs.slice(0, MAX_LISTED).map((sign) => `  ${describeSign(sign)}`);
  const more = signs.length > MAX_LISTED ? [`  and ${signs.length - MAX_LISTED} more`] : [];
  const can = [...new Set(signs.map((sign) => sign.can))];
  return {
    type: "unusable",
    message: `Nothing was deployed: this project looks like a server, not a static site\n${
      [...lines, ...more].join("\n")
    }`,
    hint: `${can.slice(0, 2).join(". ")}. If it is a static site, add this to svc.toml:\n\n` +
      `${STATIC_LINES}\n`,
    details: {
      signs: signs.map(({ kind, file, line, seen, language }) => ({
        kind,
        file,
        line,
        seen,
        ...(language === undefined ? {} : { language }),
      })),
    },
  };
}
