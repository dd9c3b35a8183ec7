/** @module The `set_headers` action. Values may refer to captures of the path. */
import * as z from "zod";
import { describeValue } from "../../lib/describe_value.ts";
import type { PathStep } from "../../lib/diagnostic.ts";
import { checkHeaderMap, lowerCaseNames } from "../request/header_map.ts";
import { isEdgeField, isLifetimeField } from "../request/edge_fields.ts";
import { compileHeaderValue, encodeHeaderText, expandPieces } from "../pattern/template.ts";
import { errorAt, type Finding, joinNames, warningAt } from "../finding.ts";
import { flag, textMap } from "../schema_parts.ts";
import { type ActionDefinition, effectOf } from "./action_definition.ts";

interface SetHeadersAction {
  readonly type: "set_headers";
  readonly headers: Readonly<Record<string, string>>;
  /** Whether responses with a status of 400 or above also get a lifetime that the action sets. */
  readonly onFailure?: boolean;
}

/**
 * Matches values without leading or trailing whitespace. Control characters are reported elsewhere.
 */
const FIELD_VALUE = /^(?:[^\t ](?:.*[^\t ])?)?$/s;
const BEYOND_LATIN1 = /[^\p{ASCII}\u0080-\u00ff]/u;

function valueProblem(value: string): Omit<Finding, "severity" | "path"> | undefined {
  const shown = describeValue(value);
  if (!FIELD_VALUE.test(value)) {
    return {
      code: "bad_header_value",
      message: `Use a header value without leading or trailing spaces: it is ${shown}`,
    };
  }
  return !BEYOND_LATIN1.test(value) ? undefined : {
    code: "bad_header_value",
    message: `Use a header value with only ASCII or Latin-1 characters: it is ${shown}`,
    hint: "Percent-encode other characters",
  };
}

/** Maximum lifetime, in seconds, that a failure can have without causing a warning. */
const USUAL_SECONDS = 3600;

/**
 * Returns whether the value of a lifetime field grants more than an hour. A date in `Expires`
 * counts as longer than an hour.
 */
function isLong(value: string): boolean {
  const [, seconds] = /(?:^|[\s,])(?:s-maxage|max-age)\s*=\s*"?(\d+)/i.exec(value) ?? [];
  return /immutable|GMT/i.test(value) || Number(seconds ?? 0) > USUAL_SECONDS;
}

/** Reports fields that rules cannot set, and values that cannot be sent as written. */
function* checkSettable(
  headers: SetHeadersAction["headers"],
  path: readonly PathStep[],
): Generator<Finding> {
  for (const [name, value] of Object.entries(headers)) {
    const at = [...path, name];
    if (isEdgeField(name.toLowerCase())) {
      yield errorAt(at, {
        code: "edge_header",
        message: `Do not set the header "${name}": the edge controls it`,
        on: "key",
      });
    }
    const problem = valueProblem(value);
    if (problem !== undefined) yield errorAt(at, problem);
  }
}

export const setHeaders: ActionDefinition<SetHeadersAction, SetHeadersAction> = {
  schema: z.strictObject({
    type: z.literal("set_headers"),
    headers: textMap(),
    onFailure: flag().optional().describe(
      "Whether responses with status 400 and above get a lifetime that it sets",
    ),
  }),
  phase: "headers",
  isClientBound: false,
  templates: ({ headers }) =>
    Object.entries(headers).map(([name, text]) => ({ text, path: ["headers", name] })),
  *check({ headers }, { path }) {
    yield* checkHeaderMap(headers, [...path, "headers"]);
    yield* checkSettable(headers, [...path, "headers"]);
  },
  *warn({ headers, onFailure }, { path }) {
    const lifetimes = Object.entries(headers)
      .filter(([name, value]) => isLifetimeField(name.toLowerCase()) && isLong(value))
      .map(([name]) => name);
    if (onFailure !== true || lifetimes.length === 0) return;
    yield warningAt([...path, "onFailure"], {
      code: "lifetime_on_failure",
      message: `Check whether caches should store failures for long: ${
        joinNames(lifetimes)
      } allows it`,
      hint: "Remove onFailure to give failures no lifetime",
    });
  },
  normalize: ({ type, headers, onFailure }) => ({
    type,
    headers: lowerCaseNames(headers),
    ...(onFailure === true ? { onFailure } : {}),
  }),
  endsPhase: () => false,
  closes: () => undefined,
  compile({ headers, onFailure }, { captureNames }) {
    const more = onFailure === true ? { onFailure } : {};
    const values = Object.entries(headers).map(([name, value]) => ({
      name,
      pieces: compileHeaderValue(value, captureNames),
    }));
    const isConstant = values.every(({ pieces }) =>
      pieces.every((piece) => typeof piece === "string")
    );
    if (isConstant) {
      const edits = values.map(({ name, pieces }) =>
        ({ type: "set", name, value: pieces.join(""), ...more }) as const
      );
      return effectOf((draft) => {
        for (const edit of edits) draft.editHeader(edit);
      });
    }
    return effectOf((draft) => {
      const captures = draft.captures();
      for (const { name, pieces } of values) {
        const value = encodeHeaderText(expandPieces(pieces, captures));
        draft.editHeader({ type: "set", name, value, ...more });
      }
    }, { usesCaptures: true });
  },
};
