/**
 * The action `set_headers`: the answer gets headers, whose values may refer to
 * captures of the path.
 *
 * @module
 */
import * as z from "zod";
import { describeValue } from "../../lib/describe_value.ts";
import type { PathStep } from "../../lib/diagnostic.ts";
import { checkHeaderMap, lowerCaseNames } from "../request/header_map.ts";
import { isEdgeField } from "../request/edge_fields.ts";
import { compileHeaderValue, encodeHeaderText, expandPieces } from "../pattern/template.ts";
import { errorAt, type Finding } from "../finding.ts";
import { textMap } from "../schema_parts.ts";
import { type ActionDefinition, effectOf } from "./action_definition.ts";

export interface SetHeadersAction {
  readonly type: "set_headers";
  readonly headers: Readonly<Record<string, string>>;
}

/** No space around it, and nothing beyond Latin-1; controls are reported elsewhere. */
const FIELD_VALUE = /^(?:[^\t ](?:.*[^\t ])?)?$/s;
const BEYOND_LATIN1 = /[^\p{ASCII}\u0080-\u00ff]/u;

function valueProblem(value: string): Omit<Finding, "severity" | "path"> | undefined {
  const shown = describeValue(value);
  if (!FIELD_VALUE.test(value)) {
    return {
      code: "bad_header_value",
      message: `Use a header value without space around it: it is ${shown}`,
    };
  }
  return !BEYOND_LATIN1.test(value) ? undefined : {
    code: "bad_header_value",
    message: `Use a header value of ASCII or Latin-1 characters: it is ${shown}`,
    hint: "Percent-encode other characters",
  };
}

/** Reports fields that no rule can set, and values that cannot be sent as they are written. */
function* checkSettable(
  headers: SetHeadersAction["headers"],
  path: readonly PathStep[],
): Generator<Finding> {
  for (const [name, value] of Object.entries(headers)) {
    const at = [...path, name];
    if (isEdgeField(name.toLowerCase())) {
      yield errorAt(at, {
        code: "edge_header",
        message: `Leave the header "${name}" to the edge: no rule can set it`,
        on: "key",
      });
    }
    const problem = valueProblem(value);
    if (problem !== undefined) yield errorAt(at, problem);
  }
}

export const setHeaders: ActionDefinition<SetHeadersAction, SetHeadersAction> = {
  schema: z.strictObject({ type: z.literal("set_headers"), headers: textMap() }),
  phase: "headers",
  isClientBound: false,
  templates: ({ headers }) =>
    Object.entries(headers).map(([name, text]) => ({ text, path: ["headers", name] })),
  *check({ headers }, { path }) {
    yield* checkHeaderMap(headers, [...path, "headers"]);
    yield* checkSettable(headers, [...path, "headers"]);
  },
  normalize: ({ type, headers }) => ({ type, headers: lowerCaseNames(headers) }),
  endsPhase: () => false,
  closes: () => undefined,
  compile({ headers }, { captureNames }) {
    const values = Object.entries(headers).map(([name, value]) => ({
      name,
      pieces: compileHeaderValue(value, captureNames),
    }));
    const isConstant = values.every(({ pieces }) =>
      pieces.every((piece) => typeof piece === "string")
    );
    if (isConstant) {
      const edits = values.map(({ name, pieces }) =>
        ({ type: "set", name, value: pieces.join("") }) as const
      );
      return effectOf((draft) => {
        for (const edit of edits) draft.editHeader(edit);
      });
    }
    return effectOf((draft) => {
      const captures = draft.captures();
      for (const { name, pieces } of values) {
        const value = encodeHeaderText(expandPieces(pieces, captures));
        draft.editHeader({ type: "set", name, value });
      }
    }, { usesCaptures: true });
  },
};
