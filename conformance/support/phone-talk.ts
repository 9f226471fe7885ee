import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { loudestToneDb, readWav } from './heard.ts';
import type { RegisteredPhone } from './registered-phones.ts';

/** A second of what a phone hears, as 16-bit samples at 8 kHz. */
const heardBytes = 16_000;
const audibleDb = -30;

/** Resolves when the first phone's call to the second one, through this SIP address, is established. */
export async function call(
  through: string,
  ...phones: readonly [RegisteredPhone, RegisteredPhone]
): Promise<void> {
  const [from, to] = phones;
  const established = phones.map(({ phone }) => phone.established(phone.events.all.length));
  from.phone.dial(`sip:${to.username}@${through}`);
  await Promise.all(established);
}

/** Resolves when each phone has heard another second. */
export async function hear(...phones: readonly RegisteredPhone[]): Promise<void> {
  for (const { phone } of phones) {
    const file = await phone.heard();
    const enough = statSync(file).size + heardBytes;
    while (statSync(file).size < enough) await sleep(50);
  }
}

/** The first phone hangs up; resolves when that is over at all. */
export async function hangUp(...phones: readonly [RegisteredPhone, ...RegisteredPhone[]]): Promise<void> {
  const closed = hungUp(...phones);
  phones[0].phone.hangUp();
  await closed;
}

/** Resolves when the call of each phone is over. */
export async function hungUp(...phones: readonly RegisteredPhone[]): Promise<void> {
  await Promise.all(phones.map(({ phone }) => phone.closed(phone.events.all.length)));
}

/** Each phone has heard a tone in its last call, which is over. */
export async function assertHeard(...heard: readonly (readonly [RegisteredPhone, number])[]): Promise<void> {
  for (const [{ phone, username }, toneHz] of heard) {
    const level = loudestToneDb(await readWav(await phone.heard()), toneHz, 0.2);
    assert.ok(level > audibleDb, `${username} hears ${toneHz} Hz at ${level} dB`);
  }
}
