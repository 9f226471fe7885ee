import { levelDb, type StreamSession, tone } from '@jackfield/stream-kit';

/** Threshold of speech; the noise of a telephone is far below. */
const speechDb = -40;
/** Silence that ends a sentence, in frames of 20 ms. */
const pauseFrames = 25;

/**
 * An agent that listens to a sentence, repeats it between two beeps, and stops when the caller speaks. It has the
 * structure of a voice agent, with a parrot in place of the model.
 */
export function parrot(stream: StreamSession, say: (what: string) => void): void {
  const { sampleRate } = stream.start.mediaFormat;
  const beep = tone(880, 120, sampleRate);
  let sentence: Int16Array[] = [];
  let quiet = 0;
  let isSpeaking = false;

  async function answer(heard: readonly Int16Array[]): Promise<void> {
    isSpeaking = true;
    stream.play(beep);
    stream.play(joined(heard));
    stream.play(beep);
    const whole = await stream.heard();
    isSpeaking = false;
    say(whole ? 'the caller has heard it to its end' : 'the caller spoke, so it was cut off');
  }

  stream.on('media', (samples) => {
    const isLoud = levelDb(samples) > speechDb;
    if (isLoud && isSpeaking) {
      // The caller interrupts: drop the audio that waits.
      isSpeaking = false;
      void stream.clear();
    }
    if (isLoud || sentence.length > 0) sentence.push(samples);
    quiet = isLoud ? 0 : quiet + 1;
    if (sentence.length === 0 || quiet < pauseFrames) return;
    const heard = sentence;
    sentence = [];
    say(`heard a sentence of ${(heard.length * 0.02).toFixed(1)} s`);
    void answer(heard);
  });
}

function joined(frames: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(frames.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const frame of frames) {
    whole.set(frame, at);
    at += frame.length;
  }
  return whole;
}
