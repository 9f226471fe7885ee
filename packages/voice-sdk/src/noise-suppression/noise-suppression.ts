import type { MicrophoneFilter } from '../browser/audio-devices.ts';
import { VoiceError } from '../voice-error.ts';

/** URLs at which the page's server has the files of `@sapphi-red/web-noise-suppressor`. */
export interface NoiseSuppressionFiles {
  /** `rnnoiseWorklet.js`. */
  readonly worklet: string;
  /** `rnnoise.wasm`. */
  readonly wasm: string;
  /** `rnnoise_simd.wasm`, for browsers with vector instructions; without it they get `wasm`. */
  readonly simdWasm?: string;
}

/** RNNoise works on audio of this rate alone; the browser converts that of the microphone. */
const sampleRate = 48_000;

/**
 * RNNoise in an AudioWorklet, for `audio.processors`. The files load with the first call. A page without them at these URLs gets an error
 * instead of a call whose noise stays.
 */
export function noiseSuppression(files: NoiseSuppressionFiles): MicrophoneFilter {
  let loaded: Promise<ArrayBuffer> | undefined;
  return async (stream) => {
    // Not at the top: the classes of the library extend those of a browser, and this module also loads without one.
    const { loadRnnoise, RnnoiseWorkletNode } = await import('@sapphi-red/web-noise-suppressor');
    const { wasm, simdWasm = wasm } = files;
    loaded ??= loadRnnoise({ url: wasm, simdUrl: simdWasm }).then((bytes) => {
      if (WebAssembly.validate(bytes)) return bytes;
      throw new VoiceError(
        'invalid-argument',
        `${wasm} or ${simdWasm} has no WebAssembly: serve rnnoise.wasm and rnnoise_simd.wasm of @sapphi-red/web-noise-suppressor there.`,
      );
    });
    // A later call asks again for what could not be loaded.
    const wasmBinary = await loaded.catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    const context = new AudioContext({ sampleRate });
    try {
      await context.audioWorklet.addModule(files.worklet);
    } catch (error) {
      void context.close();
      throw error;
    }
    const microphone = context.createMediaStreamSource(stream);
    const rnnoise = new RnnoiseWorkletNode(context, { maxChannels: 1, wasmBinary });
    // The browser mixes stereo before it: the worklet would leave the second channel empty.
    rnnoise.channelCount = 1;
    rnnoise.channelCountMode = 'explicit';
    const out = new MediaStreamAudioDestinationNode(context, { channelCount: 1 });
    microphone.connect(rnnoise).connect(out);
    closeWithTrack(out.stream, () => {
      rnnoise.destroy();
      void context.close();
    });
    return out.stream;
  };
}

/** A track that its owner stops fires no event. */
function closeWithTrack(stream: MediaStream, close: () => void): void {
  for (const track of stream.getAudioTracks()) {
    const stop = track.stop.bind(track);
    track.stop = () => {
      if (track.readyState === 'ended') return;
      stop();
      close();
    };
  }
}
