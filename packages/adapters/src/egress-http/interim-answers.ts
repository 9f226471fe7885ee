const [carriageReturn, lineFeed, zero, one, two] = [0x0d, 0x0a, 0x30, 0x31, 0x32];
/** `HTTP/1.1 100`: where the digits of the status stand. */
const [firstDigit, secondDigit, lastDigit] = [9, 10, 11];

/**
 * Makes 102 of each 100 (Continue) in front of an answer. RFC 9110 §15.2: a client must accept 1xx answers that it did not ask for; undici
 * closes the connection at a 100, and passes over the others.
 */
export class InterimAnswers {
  #part: 'status' | 'rest of the head' | 'answer' = 'status';
  /** In the first line, up to the status. */
  #position = 0;
  #isInterim = false;
  #hasZero = false;
  #isEmptyLine = false;

  /** The next answer is that of another request. */
  begin(): void {
    this.#part = 'status';
    this.#position = 0;
  }

  /** Changes the bytes in place. */
  rewrite(piece: Buffer): void {
    for (let at = 0; at < piece.length && this.#part !== 'answer'; at++) {
      if (this.#part === 'status') this.#readStatus(piece, at);
      else this.#readHead(piece[at]!);
    }
  }

  #readStatus(piece: Buffer, at: number): void {
    const byte = piece[at]!;
    if (this.#position === 0 && (byte === carriageReturn || byte === lineFeed)) return;
    if (this.#position === firstDigit) this.#isInterim = byte === one;
    if (this.#position === secondDigit) this.#hasZero = byte === zero;
    if (this.#position++ < lastDigit) return;
    if (this.#isInterim && this.#hasZero && byte === zero) piece[at] = two;
    this.#part = this.#isInterim ? 'rest of the head' : 'answer';
    this.#isEmptyLine = false;
  }

  #readHead(byte: number): void {
    if (byte === carriageReturn) return;
    if (byte === lineFeed && this.#isEmptyLine) this.begin();
    else this.#isEmptyLine = byte === lineFeed;
  }
}
