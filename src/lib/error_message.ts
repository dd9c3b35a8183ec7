/** Returns an error's message, or any other thrown value converted to text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
