/**
 * What the codes of refused requests mean. Apart from the contract's own face, as whoever
 * succeeds needs none of the texts.
 *
 * @module
 */
export type { Explanation } from "./explanation.ts";
export { docsOf, PLATFORM_CODES } from "./platform_codes.ts";
