import assert from 'node:assert/strict';
import { fromMulaw, levelDb } from '@jackfield/stream-kit';
import { CallbackReceiver } from './callback-receiver.ts';
import { cleanUp } from './clean-up.ts';
import { PlatformProcess } from './platform-process.ts';
import { startTrunkPhone, type TrunkPhone } from './trunk-phone.ts';

const number = '+493012345679';
export const frameMs = 20;
/** Louder than the comfort noise of a silent call. */
const audibleDb = -40;
/** Longer than a pause within the texts of these tests. */
const endMs = 1_000;

/** Measures of one sound that a phone heard. */
export interface Heard {
  readonly ms: number;
  /** The longest silence within it. */
  readonly pauseMs: number;
  readonly db: number;
  /** Median of the frequency of the voice. */
  readonly hz: number;
}

/** Waits for the next sound that the phone hears, and for its end. */
export async function nextHeard({ audio }: TrunkPhone, from: number): Promise<Heard> {
  const frames = () =>
    audio.heard
      .slice(from)
      .filter(({ payloadType }) => payloadType === 0)
      .map(({ payload }) => fromMulaw(payload));
  for (;;) {
    await audio.received(audio.heard.length + 10);
    const heard = frames();
    const isLoud = heard.map((frame) => levelDb(frame) > audibleDb);
    const [first, last] = [isLoud.indexOf(true), isLoud.lastIndexOf(true)];
    if (first < 0 || (heard.length - last) * frameMs < endMs) continue;
    return measured(heard.slice(first, last + 1), isLoud.slice(first, last + 1));
  }
}

function measured(heard: readonly Int16Array[], isLoud: readonly boolean[]): Heard {
  let [pause, longest] = [0, 0];
  for (const loud of isLoud) {
    pause = loud ? 0 : pause + frameMs;
    longest = Math.max(longest, pause);
  }
  const samples = Int16Array.from(heard.flatMap((frame) => [...frame]));
  return { ms: heard.length * frameMs, pauseMs: longest, db: levelDb(samples), hz: pitchOf(samples) };
}

/** By the likeness of 40 ms with what comes a period later. */
function pitchOf(samples: Int16Array): number {
  const frame = 320;
  const product = (at: number, lag: number) => {
    let sum = 0;
    for (let n = at; n < at + frame; n++) sum += samples[n]! * samples[n + lag]!;
    return sum;
  };
  const found: number[] = [];
  for (let at = 0; at + frame + 240 <= samples.length; at += frame) {
    const energy = product(at, 0);
    if (Math.sqrt(energy / frame) < 800) continue;
    let best = { likeness: 0.6, hz: 0 };
    for (let lag = 23; lag <= 115; lag++) {
      let shifted = 0;
      for (let n = at + lag; n < at + lag + frame; n++) shifted += samples[n]! ** 2;
      const likeness = product(at, lag) / Math.sqrt(energy * shifted + 1);
      if (likeness > best.likeness) best = { likeness, hz: 8_000 / lag };
    }
    if (best.hz > 0) found.push(best.hz);
  }
  return found.sort((one, other) => one - other)[found.length >> 1] ?? 0;
}

/** A server, a customer, a phone that others wrote, and a live call to it. */
export async function openSpokenCall(environment: Readonly<Record<string, string>>, calls = 1) {
  const platform = await PlatformProcess.start({ JACKFIELD_LOG_LEVEL: 'debug', ...environment });
  const customer = await CallbackReceiver.start();
  const phone = await startTrunkPhone(platform, number, { timeoutSeconds: 150, calls });
  return {
    platform,
    customer,
    phone,
    async call(path: string, document: string): Promise<string> {
      const { status, body } = await platform.api('POST', 'Call/', {
        from: '+12025550100',
        to: number,
        answer_url: customer.serve(path, `<Response>${document}</Response>`),
        hangup_url: `http://127.0.0.1:${customer.port}${path}-over`,
      });
      assert.equal(status, 201, JSON.stringify(body));
      return body.request_uuid;
    },
    /** A call that hears nothing until it is hung up; a Wait would play music. */
    async silentCall(): Promise<string> {
      const before = customer.received.all.length;
      await this.call('/waits', '<GetDigits timeout="120"/>');
      const { fields } = await customer.asked('/waits', before);
      await phone.audio.received(phone.audio.heard.length + 1);
      return fields.get('CallUUID')!;
    },
    async events(type: string) {
      const { body } = await platform.api('GET', `Event/?type=${type}&limit=20`);
      return body.objects as { data: Record<string, unknown> }[];
    },
    close: () =>
      cleanUp(
        () => phone.sipp.stop(),
        () => phone.audio.close(),
        () => platform.untilQuiet(),
        () => customer.stop(),
        () => platform.stop(),
      ),
  };
}

export type SpokenCall = Awaited<ReturnType<typeof openSpokenCall>>;
