/** First in, first out; `take` costs the same for any size. */
export class Mailbox<Letter> {
  #first: Link<Letter> | undefined;
  #last: Link<Letter> | undefined;
  #size = 0;

  put(letter: Letter): void {
    const link: Link<Letter> = { letter, next: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
    this.#size++;
  }

  /** Puts a letter that was taken in front of all others. */
  putBack(letter: Letter): void {
    this.#first = { letter, next: this.#first };
    this.#last ??= this.#first;
    this.#size++;
  }

  take(): Letter | undefined {
    const taken = this.#first;
    if (taken === undefined) return undefined;
    this.#first = taken.next;
    if (this.#first === undefined) this.#last = undefined;
    this.#size--;
    return taken.letter;
  }

  get size(): number {
    return this.#size;
  }
}

interface Link<Letter> {
  readonly letter: Letter;
  next: Link<Letter> | undefined;
}
