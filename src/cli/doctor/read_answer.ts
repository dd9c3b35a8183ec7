/**
 * Finds out which program responds at the URL of a platform.
 *
 * @module
 */

/** Maximum size of a response in bytes; a platform sends some hundred. */
const MOST_BYTES = 65_536;

/**
 * Reads the text of a response.
 *
 * @throws {Error} if it is larger than a platform's; the rest is not read.
 */
export async function readAnswer(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) throw new Error(`its response is larger than ${MOST_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
