import { frameSamples } from '@jackfield/adapters/speech-tones';

export { frameSamples, toneMeter } from '@jackfield/adapters/speech-tones';

/** Tones of simulated phones are multiples of this: a frame then holds whole periods, and no tone leaks into another. */
const toneStepHz = 50;

/** One frame of a tone; frames of a multiple of 50 Hz join without a gap. */
export function toneFrame(hz: number, levelDb: number): Int16Array {
  if (hz % toneStepHz !== 0) throw new RangeError(`a tone of ${hz} Hz does not fit into a frame`);
  const amplitude = 32_767 * 10 ** (levelDb / 20);
  return Int16Array.from({ length: frameSamples }, (_, i) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hz * i) / 8000)),
  );
}
