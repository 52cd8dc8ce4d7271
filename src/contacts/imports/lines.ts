const LF = 0x0a;
const CR = 0x0d;

/** Finds the line of a place in a file, as an editor counts them: a line ends in CRLF, LF or CR, in quotes or not. */
export function createLines() {
  /** Where the lines of the last pieces begin, and how many of these lie before what was asked for. */
  let starts: number[] = [];
  let passed = 0;
  let length = 0;
  let last = 0;
  let line = 1;
  return {
    /** The next bytes of the file. */
    add(piece: Uint8Array): void {
      starts = starts.slice(passed);
      passed = 0;
      for (const byte of piece) {
        length += 1;
        if (byte === LF && last === CR) starts[starts.length - 1] = length;
        else if (byte === LF || byte === CR) starts.push(length);
        last = byte;
      }
    },
    /** The line of the byte before this place. Places are asked for in the order of the file. */
    before(place: number): number {
      while ((starts[passed] ?? place) < place) {
        passed += 1;
        line += 1;
      }
      return line;
    },
  };
}
