/** The part of the interface that we use; the package has no types. */
declare module '@echogarden/rnnoise-wasm' {
  export interface RnnoiseModule {
    readonly HEAPF32: Float32Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    /** 0 for the built-in model. */
    _rnnoise_create(model: number): number;
    _rnnoise_destroy(state: number): void;
    _rnnoise_get_frame_size(): number;
    /** Returns the probability of a voice, 0–1. */
    _rnnoise_process_frame(state: number, out: number, input: number): number;
  }
  const load: () => Promise<RnnoiseModule>;

  // biome-ignore lint/style/noDefaultExport: that is how the package exports it
  export default load;
}
