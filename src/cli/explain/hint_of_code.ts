/**
 * The hint of a code, for errors without their own.
 *
 * @module
 */

/** Returns the remedy of a code if it fits every failure of the code. */
export async function hintOfCode(code: string): Promise<string | undefined> {
  // Commands that succeed need none of the texts.
  const { EXPLANATIONS } = await import("./explain_code.ts");
  const explanation = EXPLANATIONS.get(code);
  return explanation?.isHint === true ? explanation.remedy : undefined;
}
