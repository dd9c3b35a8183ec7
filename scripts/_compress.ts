/**
 * Compresses the program's packed data with brotli.
 *
 * @module
 */
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const compress = promisify(brotliCompress);

/** Compresses data at a quality from 0 to 11, and writes it to a file. */
export async function compressTo(
  file: string,
  data: Uint8Array | string,
  quality: number,
): Promise<void> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  await Deno.writeFile(file, await compress(data, { params }));
}
