/** The part of the engine's interface that we use; the package has no types. */
declare module '@echogarden/espeak-ng-emscripten' {
  export interface EspeakVoice {
    /** Unique, e.g. `gmw/en-US`. */
    readonly identifier: string;
    readonly languages: readonly { readonly name: string }[];
  }

  export interface EspeakWorker {
    get_samplerate(): number;
    list_voices(): readonly EspeakVoice[];
    /** 0 when the voice was found. */
    set_voice(name: string, language: string, gender: number, age: number, variant: number): number;
    /** Calls back with each piece of audio, before it returns. */
    synthesize(text: string, take: (audio: Int16Array | undefined) => void): void;
  }

  const start: () => Promise<{ readonly eSpeakNGWorker: new () => EspeakWorker | Promise<EspeakWorker> }>;

  // biome-ignore lint/style/noDefaultExport: the package exports it so
  export { start as default };
}
