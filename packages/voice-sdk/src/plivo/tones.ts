/** Names of the tones that a program can choose. */
export type Tone = 'ring' | 'ring-back' | `dtmf-${string}`;

/** Sounds of the page for ringing and keys; each is silent until the program gives a URL. */
export class Tones {
  readonly #urls = new Map<Tone, string>();
  readonly #playing = new Map<Tone, HTMLAudioElement>();
  /** The device for ringing. */
  ringDevice = '';

  /** `false` silences a tone; `true` changes nothing, because there is no default. */
  set(tone: Tone, value: string | boolean): boolean {
    if (typeof value === 'string') this.#urls.set(tone, value);
    else if (!value) this.#urls.delete(tone);
    return true;
  }

  play(tone: Tone): void {
    const url = this.#urls.get(tone);
    if (url === undefined || this.#playing.has(tone)) return;
    const element = new Audio(url);
    element.loop = !tone.startsWith('dtmf-');
    if (this.ringDevice !== '' && tone === 'ring')
      void element.setSinkId(this.ringDevice).catch(() => undefined);
    element.onended = () => this.#playing.delete(tone);
    this.#playing.set(tone, element);
    // The browser may refuse sound before the first click.
    element.play().catch(() => this.#playing.delete(tone));
  }

  stop(tone: Tone): void {
    this.#playing.get(tone)?.pause();
    this.#playing.delete(tone);
  }
}
