import { spokenText, wavHeader } from '@jackfield/testkit/phones';

/** A WAV file whose sound is this text, spoken: a phone of the world hears which file was played. */
export function spokenFile(text: string): Uint8Array {
  const samples = spokenText(text);
  const header = wavHeader({ sampleRate: 8000, channels: 1 }, samples.byteLength);
  return Buffer.concat([header, Buffer.from(samples.buffer)]);
}
