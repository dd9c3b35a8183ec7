import { encode } from "uqr";

/** Black on white in every terminal, because cameras need this contrast. */
const [ON, OFF] = ["\x1b[30;107m", "\x1b[0m"];

/** Draws text as a QR code, with two rows of modules on each line of the terminal. */
export function drawQrCode(text: string): { readonly text: string; readonly columns: number } {
  const { data, size } = encode(text, { border: 2 });
  const lines: string[] = [];
  for (let y = 0; y < size; y += 2) {
    let line = "";
    for (let x = 0; x < size; x++) {
      const [upper, lower] = [data[y]?.[x] === true, data[y + 1]?.[x] === true];
      line += upper ? (lower ? "█" : "▀") : lower ? "▄" : " ";
    }
    lines.push(`${ON}${line}${OFF}`);
  }
  return { text: lines.join("\n"), columns: size };
}
