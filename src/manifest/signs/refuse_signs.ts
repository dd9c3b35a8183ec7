/** @module Messages for projects with signs of a server that svc does not run. */
import type { Found } from "../frameworks/types.ts";
import type { ProjectSign } from "./types.ts";

/** Maximum number of signs that are listed in an error. */
const MAX_LISTED = 6;

/** The lines in svc.toml that make a project a static site regardless of signs. */
const STATIC_LINES = "[build]\nstatic = true";

/** Formats a sign as readable text: `app.py:3 imports flask`. */
export const describeSign = ({ file, line, seen }: ProjectSign): string =>
  `${file}:${line} ${seen}`;

/**
 * Creates the error for a project that is not published. The message lists the findings, and
 * explains what svc supports and how to publish the project anyway.
 */
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
