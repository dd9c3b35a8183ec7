/**
 * The members of an answer in a line, for the reference.
 *
 * @module
 */
import * as z from "zod";

const optionsOf = (schema: z.ZodType): readonly z.ZodType[] =>
  schema instanceof z.ZodUnion ? schema.options as readonly z.ZodType[] : [schema];

/** The members of an object; of several kinds, those that all have. */
function namesOf(schema: z.ZodType): readonly string[] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape)
      .map(([name, member]) => member instanceof z.ZodOptional ? `${name}?` : name);
  }
  if (!(schema instanceof z.ZodUnion)) return ["…"];
  const [first = [], ...others] = optionsOf(schema).map(namesOf);
  return [...first.filter((name) => others.every((names) => names.includes(name))), "…"];
}

/** A kind of an answer; its description says when it comes, if it is not the usual one. */
function describeKind(schema: z.ZodType): string {
  if (schema instanceof z.ZodNever) return schema.description ?? "nothing";
  const members = `{ ${namesOf(schema).join(", ")} }`;
  const when = schema.description ?? "";
  return /^with(out)? /.test(when) ? `${when}: ${members}` : members;
}

/** The members of an answer, such as `{ url, token? }`; its kinds stand one after the other. */
export const membersOf = (schema: z.ZodType): string =>
  optionsOf(schema).map(describeKind).join("; ");

/** The members of the lines of a stream that all lines have. */
export const membersOfLine = (schema: z.ZodType): string => `{ ${namesOf(schema).join(", ")} }`;
