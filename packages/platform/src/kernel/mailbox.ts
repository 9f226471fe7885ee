/** First in, first out; `take` costs the same for any size. */
export interface Mailbox<Letter> {
  put(letter: Letter): void;
  /** Puts a letter that was taken in front of all others. */
  putBack(letter: Letter): void;
  take(): Letter | undefined;
  readonly size: number;
}

interface Link<Letter> {
  readonly letter: Letter;
  next: Link<Letter> | undefined;
}

export function createMailbox<Letter>(): Mailbox<Letter> {
  let first: Link<Letter> | undefined;
  let last: Link<Letter> | undefined;
  let size = 0;
  return {
    put(letter) {
      const link: Link<Letter> = { letter, next: undefined };
      if (last === undefined) first = link;
      else last.next = link;
      last = link;
      size++;
    },
    putBack(letter) {
      first = { letter, next: first };
      last ??= first;
      size++;
    },
    take() {
      const taken = first;
      if (taken === undefined) return undefined;
      first = taken.next;
      if (first === undefined) last = undefined;
      size--;
      return taken.letter;
    },
    get size() {
      return size;
    },
  };
}
