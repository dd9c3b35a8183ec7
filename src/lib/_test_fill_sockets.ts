/**
 * @module A program that uses kernel memory that no process accounts for, for tests of control
 * groups.
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
