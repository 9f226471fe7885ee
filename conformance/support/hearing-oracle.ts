import { type PhoneCall, type SimulatedPhone, toneMeter } from '@jackfield/testkit';

/** The settings of a participant that decide who hears whom. */
export interface Person {
  readonly role: 'agent' | 'customer' | 'supervisor';
  readonly coach: boolean;
  readonly mute: boolean;
  readonly hold: boolean;
  readonly starts: boolean;
  readonly memberId: string;
  readonly call: () => PhoneCall | undefined;
}

/** A multiparty call from one moment on, by the phones' numbers; an added phone counts as present, because it may answer at any time. */
export interface Moment {
  readonly at: number;
  readonly people: readonly (Person | undefined)[];
  /** The call can be active from now on, and is for certain. */
  readonly mayBeActive: boolean;
  readonly isActive: boolean;
}

/** Counts of what was checked: they show a run that checked nothing. */
export interface Checked {
  frames: number;
  silences: number;
  coachSilences: number;
  voices: number;
  music: number;
}

export interface Reference {
  /** The frames of the hold music as they come over the wire. */
  readonly music: ReadonlySet<string>;
}

/** From the answer to a command until no phone can get a frame mixed before: one tick of 20 ms, the network, and slack. */
export const takesEffectMs = 40;
/** Half a second: users report a phone as broken when its first words are lost for longer. */
export const heardWithinMs = 500;
/** `beep:2` lasts 1.2 s, and a participant put on hold hears the end of one. */
const beepsOverMs = 1300;

/**
 * The phones speak at −22 dB, up to 8 dB less while many beeps at once drive the limiter. Quantization noise of a sum stays
 * below −60 dB, an ending tone below −48 dB.
 */
const audibleDb = -34;
const inaudibleDb = -45;
/** At the tones' frequencies the hold music reaches −35 dB. */
const inaudibleInMusicDb = -31;

/** The rules of the interface once more, in words of its documents: who may hear whom in a multiparty call. */
function mayHear(listener: Person, speaker: Person): boolean {
  if (listener === speaker || speaker.mute || speaker.hold || listener.hold) return false;
  return !(speaker.role === 'supervisor' && speaker.coach) || listener.role === 'agent';
}

/** Holds every frame that every phone received against what it could and what it had to hear at that time. */
export function checkHearing(
  phones: readonly SimulatedPhone[],
  history: readonly Moment[],
  { music }: Reference,
  checked: Checked,
): void {
  const meters = phones.map(({ toneHz }) => toneMeter(toneHz));
  phones.forEach((phone, listener) => {
    for (const call of phone.calls) {
      for (const frame of call.heard) {
        checked.frames++;
        const lately = inEffect(history, frame.at - takesEffectMs, frame.at);
        const settled = inEffect(history, frame.at - heardWithinMs, frame.at);
        const isQuiet = lately.every(({ isActive, people }) => isActive && !people[listener]?.hold);
        const subject = () => `phone ${listener} at ${frame.at}`;

        const heldFor = inEffect(history, frame.at - beepsOverMs, frame.at);
        if (
          heldFor.every(
            ({ people }) => people[listener]?.hold && isUp(people[listener], frame.at, beepsOverMs),
          )
        ) {
          if (!music.has(keyOf(frame.samples))) throw new Error(`${subject()} is on hold and hears no music`);
          checked.music++;
        }

        meters.forEach((meter, speaker) => {
          const level = meter(frame.samples);
          const may = lately.some((moment) => isAllowed(moment, listener, speaker));
          if (!may) {
            if (level > (isQuiet ? inaudibleDb : inaudibleInMusicDb)) {
              throw new Error(`${subject()} hears phone ${speaker} at ${level.toFixed(1)} dB and must not`);
            }
            checked.silences++;
            if (lately.every(({ people }) => people[speaker]?.coach && people[listener]?.role !== 'agent')) {
              checked.coachSilences++;
            }
          } else if (settled.every((moment) => isOwed(moment, listener, speaker, frame.at))) {
            if (level < audibleDb) {
              throw new Error(`${subject()} hears phone ${speaker} at ${level.toFixed(1)} dB and should`);
            }
            checked.voices++;
          }
        });
      }
    }
  });
}

export function keyOf(samples: Int16Array): string {
  return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('latin1');
}

/** The moments that held at some time from `from` to `to`; before the first moment the call was empty. */
function inEffect(history: readonly Moment[], from: number, to: number): readonly Moment[] {
  return history.filter(
    ({ at }, index) => at <= to && (history[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= from,
  );
}

function isAllowed({ mayBeActive, people }: Moment, listener: number, speaker: number): boolean {
  const [hears, speaks] = [people[listener], people[speaker]];
  return mayBeActive && hears !== undefined && speaks !== undefined && mayHear(hears, speaks);
}

function isOwed({ isActive, people }: Moment, listener: number, speaker: number, at: number): boolean {
  const [hears, speaks] = [people[listener], people[speaker]];
  return (
    isActive &&
    isUp(hears, at, heardWithinMs) &&
    isUp(speaks, at, heardWithinMs) &&
    mayHear(hears as Person, speaks as Person)
  );
}

function isUp(person: Person | undefined, at: number, forMs: number): boolean {
  const call = person?.call();
  return (
    call?.answeredAt !== undefined &&
    call.answeredAt <= at - forMs &&
    !(call.endedAt !== undefined && call.endedAt <= at)
  );
}
