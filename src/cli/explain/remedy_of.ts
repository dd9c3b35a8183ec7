/**
 * Advice for a code, for errors without a more specific hint.
 *
 * @module
 */

/** How to mend what a code stands for; `undefined` for one that this version does not have. */
export async function remedyOf(code: string): Promise<string | undefined> {
  // Commands that succeed need none of the texts.
  const { EXPLANATIONS } = await import("./explain_code.ts");
  return EXPLANATIONS.get(code)?.remedy;
}
