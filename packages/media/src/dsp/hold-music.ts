/** Eight bars in C major at 92 beats a minute, composed for this file: arpeggios under a slow melody. */
const BEATS_PER_MINUTE = 92;
const BEATS_PER_BAR = 4;

/** MIDI note numbers of each bar's broken chord, played in eighths, up and down. */
const CHORDS: readonly (readonly number[])[] = [
  [48, 55, 60, 64],
  [45, 52, 57, 60],
  [53, 57, 60, 65],
  [43, 50, 55, 59],
  [48, 55, 60, 64],
  [52, 55, 59, 64],
  [53, 57, 60, 65],
  [43, 50, 59, 65],
];

/** Melody: [MIDI note, beat at which it starts]. */
const MELODY: readonly (readonly [number, number])[] = [
  [76, 0],
  [79, 2],
  [81, 3],
  [79, 4],
  [76, 6],
  [77, 8],
  [76, 9],
  [72, 10],
  [74, 12],
  [71, 14],
  [76, 16],
  [79, 18],
  [84, 19],
  [83, 20],
  [79, 22],
  [81, 24],
  [77, 26],
  [74, 28],
  [72, 30],
];

/** Strength of the partials of a plucked note. */
const PARTIALS = [1, 0.4, 0.15] as const;

/** The built-in hold music at this rate: a seamless loop of about 21 s with peaks at −12 dB of full scale. */
export function renderHoldMusic(rate: number): Int16Array {
  const beat = 60 / BEATS_PER_MINUTE;
  const length = Math.round(CHORDS.length * BEATS_PER_BAR * beat * rate);
  const music = new Float32Array(length);
  CHORDS.forEach((chord, bar) => {
    for (let eighth = 0; eighth < 2 * BEATS_PER_BAR; eighth++) {
      const turn = eighth % 6;
      const note = chord[turn < 4 ? turn : 6 - turn]!;
      pluck(music, rate, note, (bar * BEATS_PER_BAR + eighth / 2) * beat, 0.35, 0.9);
    }
  });
  for (const [note, startBeat] of MELODY) pluck(music, rate, note, startBeat * beat, 0.6, 1.6);
  return toPeak(music, 0.25);
}

function pluck(
  into: Float32Array,
  rate: number,
  note: number,
  atSeconds: number,
  strength: number,
  ringSeconds: number,
): void {
  const fundamental = 440 * 2 ** ((note - 69) / 12);
  const count = Math.round(ringSeconds * rate);
  const attack = Math.round(0.008 * rate);
  const decay = Math.exp(-4.5 / count);
  const start = Math.round(atSeconds * rate);
  PARTIALS.forEach((weight, index) => {
    const step = (2 * Math.PI * fundamental * (index + 1)) / rate;
    // A partial above the telephone band would alias or be filtered out.
    if (fundamental * (index + 1) > Math.min(3400, 0.45 * rate)) return;
    const twoCos = 2 * Math.cos(step);
    let before = Math.sin(-step);
    let beforeThat = Math.sin(-2 * step);
    let envelope = strength * weight;
    let at = start % into.length;
    for (let i = 0; i < count; i++) {
      const sample = twoCos * before - beforeThat;
      beforeThat = before;
      before = sample;
      envelope *= decay;
      // The last fiftieth fades to 0: otherwise each note would end in a click.
      const edge = Math.min(1, i / attack, ((count - i) * 50) / count);
      into[at] = into[at]! + sample * envelope * edge;
      // Notes that ring past the end continue at the start, so the loop is seamless.
      if (++at === into.length) at = 0;
    }
  });
}

function toPeak(music: Float32Array, peak: number): Int16Array {
  let loudest = 0;
  for (const sample of music) loudest = Math.max(loudest, Math.abs(sample));
  const out = new Int16Array(music.length);
  for (let i = 0; i < music.length; i++) out[i] = Math.round(((music[i]! * peak) / loudest) * 32767);
  return out;
}
