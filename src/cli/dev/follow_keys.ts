/**
 * Keys on the terminal of a command that runs.
 *
 * @module
 */
import type { Context } from "../session/context.ts";

/** The character of Ctrl-C in a terminal that is read key by key. */
const CTRL_C = "\x03";

/**
 * Calls the act of each key that is typed; `q` and Ctrl-C end. Does nothing where there is
 * no terminal.
 *
 * @returns what gives the terminal back as it was
 */
export function followKeys(
  { keyboard, stdinIsTerminal, ui }: Pick<Context, "keyboard" | "stdinIsTerminal" | "ui">,
  acts: Readonly<Record<string, () => void>>,
  quit: () => void,
): () => void {
  if (!stdinIsTerminal || ui.json) return () => {};
  keyboard.setRaw(true);
  const decoder = new TextDecoder();
  const follow = async () => {
    for (;;) {
      const bytes = await keyboard.read();
      if (bytes === null) return;
      for (const key of decoder.decode(bytes, { stream: true })) {
        if (key === CTRL_C || key === "q") return quit();
        if (Object.hasOwn(acts, key)) acts[key]!();
      }
    }
  };
  // A terminal that has gone ends the program by its signal.
  void follow().catch(() => {});
  return () => {
    try {
      keyboard.setRaw(false);
    } catch { /* the terminal has gone */ }
  };
}
