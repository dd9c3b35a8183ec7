/**
 * @module A program for tests of control groups that uses kernel memory that is not counted as any
 * process's memory.
 */

/** A Python module: `fill(count)` fills the buffers of socket pairs, about 400 KiB per pair. */
export const FILL_SOCKETS = `
import socket, sys
kept = []
def fill(count):
    for _ in range(count):
        pair = socket.socketpair()
        kept.extend(pair)
        for end in pair:
            end.setblocking(False)
            try:
                while True:
                    end.send(b"x" * 65536)
            except BlockingIOError:
                pass
if __name__ == "__main__":
    fill(int(sys.argv[1]))
`;
